/** Commands of direct mode with an example that works in every new sandbox. */
export const directCommands = [
  { name: 'run', command: '/run', example: 'uname -a && df -h /' },
  { name: 'python', command: '/python', example: 'import math; math.tau' },
  { name: 'help', command: '/help', example: null },
] as const

/** Complete messages to start with. */
export const exampleMessages = ['/run python --version', '/python import sys; sys.version', '/run ls -la ~'] as const
