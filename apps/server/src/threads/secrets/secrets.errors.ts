import { defineError } from '@threadbox/errors'

export const secretNotFound = defineError({
  code: 'secret.not-found',
  kind: 'not-found',
  message: () => 'Secret not found.',
  remedy: () => 'Choose one from the list of secrets.',
})

export const secretLimit = defineError<{ limit: number }>({
  code: 'secret.limit',
  kind: 'conflict',
  message: ({ limit }) => `There can be up to ${limit} secrets here.`,
  remedy: () => 'Delete one that is no longer needed.',
})

export const secretNameTaken = defineError<{ name: string }>({
  code: 'secret.name-taken',
  kind: 'conflict',
  message: ({ name }) => `There is already a secret named ${name}.`,
  remedy: () => 'Choose another name, or change the existing secret.',
})

export const secretNameReserved = defineError<{ name: string }>({
  code: 'secret.name-reserved',
  kind: 'invalid',
  message: ({ name }) => `A secret can’t be named ${name}, because programs use this variable for something else.`,
  remedy: () => 'Choose another name, such as SERVICE_TOKEN.',
})

export const secretValueEmpty = defineError({
  code: 'secret.value-empty',
  kind: 'invalid',
  message: () => 'The secret’s value is empty.',
  remedy: () => 'Enter the value.',
})

export const secretValueTooLong = defineError<{ limitBytes: number }>({
  code: 'secret.value-too-long',
  kind: 'invalid',
  message: ({ limitBytes }) => `The secret’s value is longer than ${limitBytes} bytes.`,
  remedy: () => 'Enter only the key, token or password itself.',
})

export const secretValueMultiline = defineError({
  code: 'secret.value-multiline',
  kind: 'invalid',
  message: () => 'The secret’s value has a line break. A header can’t have one, so the value could never be sent.',
  remedy: () => 'Enter the value on one line. Use a file in the sandbox for keys of several lines.',
})

export const secretValueUnprintable = defineError({
  code: 'secret.value-unprintable',
  kind: 'invalid',
  message: () =>
    'The secret’s value has a character that a header can’t have: a control character such as NUL, or one outside of ASCII.',
  remedy: () => 'Copy the value again from where you got it.',
})

export const secretValueSpaces = defineError({
  code: 'secret.value-spaces',
  kind: 'invalid',
  message: () => 'The secret’s value begins or ends with a space, which a header would lose.',
  remedy: () => 'Enter the value without it.',
})

export const secretHostInvalid = defineError<{ host: string }>({
  code: 'secret.host-invalid',
  kind: 'invalid',
  message: ({ host }) => `A secret can’t be for “${host}”.`,
  remedy: () =>
    'Enter an exact name such as api.example.org, with a port from 1 to 65535 if it isn’t 443. Wildcards and addresses aren’t possible.',
})

export const secretHostOwn = defineError<{ host: string }>({
  code: 'secret.host-own',
  kind: 'invalid',
  message: ({ host }) => `${host} is an address of threadbox itself, so a secret can’t be for it.`,
  remedy: () => 'Enter the host of the service that the secret is for.',
})

export const secretHeaderReserved = defineError<{ name: string }>({
  code: 'secret.header-reserved',
  kind: 'invalid',
  message: ({ name }) => `A secret can’t set the header ${name}, because it decides where a request goes or ends.`,
  remedy: () => 'Enter the header in which the service expects its key, such as Authorization.',
})

export const secretUnusable = defineError({
  code: 'secret.unusable',
  kind: 'invalid',
  message: () => 'The secret has no place in a request: neither a position for its placeholder nor a header.',
  remedy: () => 'Choose at least one position, or enter a header.',
})

export const secretNameGranted = defineError<{ name: string }>({
  code: 'secret.name-granted',
  kind: 'conflict',
  message: ({ name }) => `This thread already has another secret named ${name}.`,
  remedy: () => 'Revoke that one first, or rename one of the two.',
})

export const secretThreadShared = defineError<{ name: string }>({
  code: 'secret.thread-shared',
  kind: 'conflict',
  message: ({ name }) => `Other people can work in this thread, so your personal secret ${name} can’t be used in it.`,
  remedy: () => 'Use a secret of the workspace.',
})
