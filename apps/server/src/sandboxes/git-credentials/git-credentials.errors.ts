import { defineError } from '@threadbox/errors'

export const gitCredentialNotFound = defineError({
  code: 'git-credential.not-found',
  kind: 'not-found',
  message: () => 'Git credential not found.',
  remedy: () => 'Choose one from the list of Git credentials.',
})

export const gitCredentialLimit = defineError<{ limit: number }>({
  code: 'git-credential.limit',
  kind: 'conflict',
  message: ({ limit }) => `You can have up to ${limit} Git credentials.`,
  remedy: () => 'Remove one you don’t use.',
})

export const gitAddressInvalid = defineError<{ problem: string }>({
  code: 'git-credential.address-invalid',
  kind: 'invalid',
  message: ({ problem }) => `This server can’t be used for a Git credential: ${problem}`,
  remedy: () => 'Enter the server name, such as github.com, or its HTTPS URL without a path.',
})

export const gitAddressRefused = defineError<{ host: string }>({
  code: 'git-credential.address-refused',
  kind: 'forbidden',
  message: ({ host }) => `${host} is in a private network. Git credentials for private networks are not allowed.`,
  remedy: () => 'An administrator can allow it with THREADBOX_CONNECTIONS_ALLOW.',
})

// The errors below go to git inside a sandbox, which prints them.

export const gitRequestRefused = defineError<{ problem: string }>({
  code: 'git-credential.request-refused',
  kind: 'invalid',
  message: ({ problem }) => `threadbox only forwards git clone, fetch and push: ${problem}`,
  remedy: () =>
    'Use git over HTTPS. Git LFS and other services can’t use the credential; reach them without it by running ' +
    '`GIT_CONFIG_COUNT=0 git …`.',
})

export const gitRepositoryNotCovered = defineError<{ repository: string; host: string }>({
  code: 'git-credential.repository-not-covered',
  kind: 'forbidden',
  message: ({ repository, host }) => `None of this thread’s Git credentials covers ${repository} on ${host}.`,
  remedy: () => 'Turn one on in the thread’s sandbox panel, or add the repository to it in Settings → Git.',
})

export const gitPushRefused = defineError<{ repository: string; host: string }>({
  code: 'git-credential.push-refused',
  kind: 'forbidden',
  message: ({ repository, host }) =>
    `The Git credential for ${repository} on ${host} is read-only, so nothing was pushed.`,
  remedy: () => 'A person can allow pushing in Settings → Git.',
})

export const gitPermitRevoked = defineError<{ repository: string; host: string }>({
  code: 'git-credential.taken-back',
  kind: 'forbidden',
  message: ({ repository, host }) =>
    `The Git credential was removed, changed or replaced while git was using it for ${repository} on ${host}.`,
  remedy: () => 'Run the git command again. It uses the current credential.',
})

export const gitTokenRefused = defineError<{ host: string; status: number }>({
  code: 'git-credential.token-refused',
  kind: 'forbidden',
  message: ({ host, status }) => `${host} rejected the Git credential’s token (HTTP status ${status}).`,
  remedy: () => 'The token may have expired or lack permissions. Enter a new one in Settings → Git.',
})

export const gitRepositoryMissing = defineError<{ repository: string; host: string }>({
  code: 'git-credential.repository-missing',
  kind: 'not-found',
  message: ({ repository, host }) => `${repository} doesn’t exist on ${host}, or the token can’t access it.`,
  remedy: () => 'Check the repository name and the token’s permissions.',
})

export const gitServerFailed = defineError<{ host: string; problem: string }>({
  code: 'git-credential.server-failed',
  kind: 'unavailable',
  message: ({ host, problem }) => `Couldn’t use ${host}: ${problem}`,
  remedy: () => 'Check the server in the Git credential, or try again later.',
})

export const gitTooManyRequests = defineError<{ limit: number }>({
  code: 'git-credential.too-many-requests',
  kind: 'exhausted',
  message: ({ limit }) => `More than ${limit} git requests are already in progress.`,
  remedy: () => 'Try again when some have finished.',
})
