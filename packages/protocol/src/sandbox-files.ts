/** Names of directories, anywhere, whose content programs create automatically and can create again. */
const cacheNames = ['__pycache__', '.cache', '.mypy_cache', '.pytest_cache', '.ruff_cache', '.npm', 'node_modules']
const packageNames = ['site-packages', 'dist-packages']
const environmentNames = ['.venv', 'venv']

const cachePattern = new RegExp(
  `^(?:.*?/)?(?:${[...cacheNames, ...packageNames, ...environmentNames.map((name) => `${name}/lib(?:64)?`)]
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})(?=/|$)`,
)

/** The outermost cache or package directory that contains a path, or is the path; undefined if there is none. */
export function cacheDirectoryOf(path: string): string | undefined {
  return cachePattern.exec(path)?.[0]
}

/** The order in which files are listed: those in home directories, hidden ones there, then the rest of the system. */
export function fileRankOf(path: string): 0 | 1 | 2 {
  if (!/^\/?home\//.test(path)) return 2
  return path.includes('/.') ? 1 : 0
}
