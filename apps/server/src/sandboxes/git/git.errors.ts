import { defineError } from '@threadbox/errors'

export const gitFailed = defineError<{ problem: string }>({
  code: 'git.failed',
  kind: 'invalid',
  message: ({ problem }) => `git in the sandbox answered: ${problem}`,
  remedy: () => 'Run `git status` in the terminal: what is wrong with the repository is the same there.',
})

export const gitMissing = defineError({
  code: 'git.missing',
  kind: 'invalid',
  message: () => 'There is no git in this sandbox.',
  remedy: () => 'Install it there: `sudo apt-get install git`.',
})

export const gitTooSlow = defineError<{ seconds: number }>({
  code: 'git.too-slow',
  kind: 'exhausted',
  message: ({ seconds }) => `git in the sandbox did not answer within ${seconds} seconds and was ended.`,
  remedy: () => 'Run `git status` in the terminal: there it has all the time it needs.',
})
