/** Where tools keep credentials: the last parts of a path. A folder is removed with its content. */
const credentialEndings = [
  ...[
    '.ssh',
    '.aws',
    '.azure',
    '.gnupg',
    '.kube',
    '.oci',
    '.netrc',
    '_netrc',
    '.git-credentials',
    '.pypirc',
    '.pgpass',
  ],
  ...['.my.cnf', '.s3cfg', '.boto', '.vault-token', '.config/gcloud', '.config/gh', '.config/hub', '.config/glab-cli'],
  ...['.config/git/credentials', '.config/rclone', '.config/composer/auth.json', '.composer/auth.json'],
  ...['.docker/config.json', '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials'],
  ...[
    '.terraform.d/credentials.tfrc.json',
    '.huggingface/token',
    '.cache/huggingface/token',
    '.claude/.credentials.json',
  ],
]

const historyEndings = [
  ...[
    '.bash_history',
    '.zsh_history',
    '.sh_history',
    '.ash_history',
    '.history',
    '.python_history',
    '.node_repl_history',
  ],
  ...[
    '.sqlite_history',
    '.psql_history',
    '.mysql_history',
    '.rediscli_history',
    '.irb_history',
    '.lesshst',
    '.viminfo',
  ],
  ...['.local/share/fish/fish_history', '.ipython/profile_default/history.sqlite', '.wget-hsts'],
  ...['.local/state/bash/history', '.local/state/python_history'],
]

/** Output of the conversation's commands and services. */
const outputPaths = new Set([
  ...['var/lib/threadbox/output', 'var/lib/threadbox/services', 'home/user/.threadbox/outputs'],
])

/** Returns why a path must not be in a copy for others; undefined if it can be. */
export function unwantedKind(path: string): 'credentials' | 'history' | 'output' | undefined {
  if (outputPaths.has(path)) return 'output'
  const last = path.slice(path.lastIndexOf('/') + 1)
  const endsWithAny = (endings: readonly string[]) =>
    endings.some((ending) => last === ending || path === ending || path.endsWith(`/${ending}`))
  if (endsWithAny(credentialEndings)) return 'credentials'
  return endsWithAny(historyEndings) ? 'history' : undefined
}

/** Returns the category under which a file's size is reported. */
export function placeOf(path: string): 'home' | 'packages' | 'variables' | 'system' {
  if (path.startsWith('var/lib/threadbox/rescue/')) return 'variables'
  if (isInPackage(path)) return 'packages'
  return path.startsWith('home/') || path.startsWith('root/') ? 'home' : 'system'
}

/** Installed by a package manager: contains examples of keys, not people's secrets. */
export function isInPackage(path: string): boolean {
  return /(?:^|\/)(?:site-packages|dist-packages|node_modules|\.venv|\.cache)\//.test(path) || /^usr\//.test(path)
}
