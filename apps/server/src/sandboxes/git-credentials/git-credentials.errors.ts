import { defineError } from '@threadbox/errors'

export const gitCredentialNotFound = defineError({
  code: 'git-credential.not-found',
  kind: 'not-found',
  message: () => 'There is no Git credential with this id.',
  remedy: () => 'Choose one from the list of Git credentials.',
})

export const gitCredentialLimit = defineError<{ limit: number }>({
  code: 'git-credential.limit',
  kind: 'conflict',
  message: ({ limit }) => `There are already ${limit} Git credentials, the most that one person can have.`,
  remedy: () => 'Remove one that is not needed.',
})

export const gitAddressInvalid = defineError<{ problem: string }>({
  code: 'git-credential.address-invalid',
  kind: 'invalid',
  message: ({ problem }) => `This address cannot be used for a Git credential: ${problem}`,
  remedy: () => 'Enter the name of the server, such as github.com, or its https address without a path.',
})

export const gitAddressRefused = defineError<{ host: string }>({
  code: 'git-credential.address-refused',
  kind: 'forbidden',
  message: ({ host }) => `${host} is an address inside a private network, and Git credentials may not lead there.`,
  remedy: () => 'The administrator can allow it with THREADBOX_CONNECTIONS_ALLOW.',
})

// What follows is told to git, inside a sandbox, which prints it.

export const gitRequestRefused = defineError<{ problem: string }>({
  code: 'git-credential.request-refused',
  kind: 'invalid',
  message: ({ problem }) => `threadbox passes on requests of git to clone, fetch and push only: ${problem}`,
  remedy: () =>
    'Use git over https. Git LFS and other services of the server are not reached with the credential; without it they ' +
    'are by `GIT_CONFIG_COUNT=0 git …`.',
})

export const gitRepositoryNotCovered = defineError<{ repository: string; host: string }>({
  code: 'git-credential.repository-not-covered',
  kind: 'forbidden',
  message: ({ repository, host }) => `No Git credential that this thread may use is for ${repository} on ${host}.`,
  remedy: () => 'Allow one in the sandbox pane of the thread, or add the repository to it in Settings → Git.',
})

export const gitPushRefused = defineError<{ repository: string; host: string }>({
  code: 'git-credential.push-refused',
  kind: 'forbidden',
  message: ({ repository, host }) =>
    `The Git credential for ${repository} on ${host} may be used to read only, so nothing was pushed.`,
  remedy: () => 'A person can allow it to push in Settings → Git.',
})

export const gitTakenBack = defineError<{ repository: string; host: string }>({
  code: 'git-credential.taken-back',
  kind: 'forbidden',
  message: ({ repository, host }) =>
    `While git used it for ${repository} on ${host}, the Git credential was taken back, changed or replaced by another one.`,
  remedy: () => 'Start git again: it is told what holds now.',
})

export const gitTokenRefused = defineError<{ host: string; status: number }>({
  code: 'git-credential.token-refused',
  kind: 'forbidden',
  message: ({ host, status }) => `${host} refused the token of the Git credential (status ${status}).`,
  remedy: () => 'It may have ended, or its rights may be too few. Enter a new one in Settings → Git.',
})

export const gitRepositoryMissing = defineError<{ repository: string; host: string }>({
  code: 'git-credential.repository-missing',
  kind: 'not-found',
  message: ({ repository, host }) => `${host} has no repository ${repository}, or does not show it to this token.`,
  remedy: () => 'Check its name, and that the token may read it.',
})

export const gitServerFailed = defineError<{ host: string; problem: string }>({
  code: 'git-credential.server-failed',
  kind: 'unavailable',
  message: ({ host, problem }) => `${host} could not be used: ${problem}`,
  remedy: () => 'Check the address of the Git credential, or try again later.',
})

export const gitTooManyRequests = defineError<{ limit: number }>({
  code: 'git-credential.too-many-requests',
  kind: 'exhausted',
  message: ({ limit }) => `More than ${limit} requests of git are under way at once.`,
  remedy: () => 'Try again when some have ended.',
})
