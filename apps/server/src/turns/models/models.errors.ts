import { defineError } from '@threadbox/errors'

export const modelNotFound = defineError({
  code: 'model.not-found',
  kind: 'not-found',
  message: () => 'Model not found.',
  remedy: () => 'Choose one from the list of models.',
})

export const modelKeyMissing = defineError<{ provider: string; variable: string }>({
  code: 'model.key-missing',
  kind: 'invalid',
  message: ({ provider }) => `${provider} needs an API key.`,
  remedy: ({ variable }) => `Enter a key, or set ${variable} in the server’s environment.`,
})

export const modelKeyNotForAddress = defineError<{ provider: string; variable: string }>({
  code: 'model.key-not-for-address',
  kind: 'invalid',
  message: ({ provider, variable }) => `The API key in ${variable} is only sent to ${provider}’s own address.`,
  remedy: () => 'Enter a key for this address.',
})

export const modelAddressMissing = defineError({
  code: 'model.address-missing',
  kind: 'invalid',
  message: () => 'An OpenAI-compatible server needs a base URL.',
  remedy: () => 'Enter its base URL, for example http://127.0.0.1:8000/v1.',
})

export const modelFallbackInvalid = defineError({
  code: 'model.fallback-invalid',
  kind: 'invalid',
  message: () => 'A model that takes over must be another connected model, each at most once.',
  remedy: () => 'Choose others from the list of models.',
})

export const modelOwnerOnly = defineError({
  code: 'model.owner-only',
  kind: 'forbidden',
  message: () => 'Only the owner and admins of this installation can change its models.',
  remedy: () => 'Ask one of them.',
})
