import { readFileSync } from 'node:fs'
import type { SandboxUser } from './users.ts'

const fallbackPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * The environment of a user's program: user variables, then the image's `/etc/environment`, then the host's variables,
 * then the request's; the last one wins.
 */
export function environmentFor(options: {
  user: SandboxUser
  envVars: Record<string, string>
  envs: Record<string, string>
}): Record<string, string> {
  const { user } = options
  return {
    PATH: fallbackPath,
    LANG: 'C.UTF-8',
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: user.shell,
    ...imageEnvironment(),
    ...options.envVars,
    ...options.envs,
  }
}

/** `/etc/environment` as PAM reads it: one assignment per line, optional quotes, no expansion. */
function imageEnvironment(): Record<string, string> {
  let text: string
  try {
    text = readFileSync('/etc/environment', 'utf8')
  } catch {
    return {}
  }
  const assignments = text.split('\n').flatMap((line) => {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line)
    return match === null ? [] : [[match[1] ?? '', (match[2] ?? '').trim().replace(/^(['"])(.*)\1$/, '$2')]]
  })
  return Object.fromEntries(assignments)
}
