import { defineError } from '@threadbox/errors'

export const gitFailed = defineError<{ problem: string }>({
  code: 'git.failed',
  kind: 'invalid',
  message: ({ problem }) => `git failed in the sandbox: ${problem}`,
  remedy: () => 'Run `git status` in the terminal to see what’s wrong with the repository.',
})

export const gitMissing = defineError({
  code: 'git.missing',
  kind: 'invalid',
  message: () => 'git isn’t installed in this sandbox.',
  remedy: () => 'Install it: `sudo apt-get install git`.',
})

export const gitTooSlow = defineError<{ seconds: number }>({
  code: 'git.too-slow',
  kind: 'exhausted',
  message: ({ seconds }) => `git in the sandbox didn’t respond within ${seconds} seconds and was stopped.`,
  remedy: () => 'Run `git status` in the terminal, where it has no time limit.',
})
