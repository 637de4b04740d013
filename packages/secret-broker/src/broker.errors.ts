import { defineError } from '@threadbox/errors'

export const secretNotUsableHere = defineError<{ secret: string | null; host: string; condition: string }>({
  code: 'secret.not-usable-here',
  kind: 'forbidden',
  message: ({ secret, host, condition }) =>
    `${secret === null ? 'No secret can' : `The secret “${secret}” can’t`} be used in this request to ${host}: ${condition}.`,
  remedy: () =>
    'Change the request so that it meets the condition, or change the secret’s hosts, methods, path, or positions.',
})

/** Sent with status 421. */
export const secretWrongHost = defineError<{ host: string; asked: string }>({
  code: 'secret.wrong-host',
  kind: 'forbidden',
  message: ({ host, asked }) => `This connection is to ${host}, and the request is for “${asked}”.`,
  remedy: () => 'Send the same name as TLS server name and as host, and use a connection of its own for each host.',
})

export const secretNotReady = defineError<{ host: string }>({
  code: 'secret.not-ready',
  kind: 'unavailable',
  message: ({ host }) => `The secrets for ${host} aren’t loaded yet.`,
  remedy: () => 'Try again in a second.',
})

export const secretRequestRefused = defineError<{ host: string; reason: string }>({
  code: 'secret.request-refused',
  kind: 'invalid',
  message: ({ host, reason }) => `The request to ${host}, a host with a secret, was not sent: ${reason}.`,
  remedy: () => 'Send a plain HTTP/1.1 or HTTP/2 request.',
})

export const secretBodyTooLarge = defineError<{ secret: string; maxBytes: number }>({
  code: 'secret.body-too-large',
  kind: 'too-large',
  message: ({ secret, maxBytes }) =>
    `The placeholder of the secret “${secret}” is in a body of more than ${maxBytes} bytes, where it isn’t replaced.`,
  remedy: () => 'Send the secret in a header, or in a smaller body.',
})

export const secretBodyEncoded = defineError<{ secret: string; encoding: string }>({
  code: 'secret.body-encoded',
  kind: 'invalid',
  message: ({ secret, encoding }) =>
    `The placeholder of the secret “${secret}” is in a body with the encoding ${encoding}, where it isn’t replaced.`,
  remedy: () => 'Send the body without compression.',
})

export const secretHostUnreachable = defineError<{ host: string; reason: string }>({
  code: 'secret.host-unreachable',
  kind: 'interrupted',
  message: ({ host, reason }) => `The request to ${host} failed: ${reason}.`,
  remedy: () => 'Try again. If it keeps failing, check that the host is reachable from this machine.',
})

export const secretResponseUnreadable = defineError<{ host: string; encoding: string }>({
  code: 'secret.response-unreadable',
  kind: 'interrupted',
  message: ({ host, encoding }) =>
    `${host} has a secret, and its response has the encoding “${encoding}”, which can’t be searched for it.`,
  remedy: () => 'Ask the host for a response without compression.',
})
