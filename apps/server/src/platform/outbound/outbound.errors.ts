import { defineError } from '@threadbox/errors'

export const connectionAddressInvalid = defineError<{ problem: string }>({
  code: 'connection.address-invalid',
  kind: 'invalid',
  message: ({ problem }) => `This address cannot be used for a connection: ${problem}`,
  remedy: () => 'Enter the https address of an MCP server, without a user name or password in it.',
})

export const connectionAddressRefused = defineError<{ host: string }>({
  code: 'connection.address-refused',
  kind: 'forbidden',
  message: ({ host }) => `${host} is an address inside a private network, and connections may not lead there.`,
  remedy: () => 'The administrator can allow it with THREADBOX_CONNECTIONS_ALLOW.',
})

export const connectionAnswerTooLarge = defineError<{ mebibytes: number }>({
  code: 'connection.answer-too-large',
  kind: 'unavailable',
  message: ({ mebibytes }) =>
    `The server of the connection sent more than ${mebibytes} MiB; reading was stopped there.`,
  remedy: () => 'Ask for less at once: a page, a range, fewer fields.',
})
