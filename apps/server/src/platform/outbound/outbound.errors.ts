import { defineError } from '@threadbox/errors'

export const connectionAddressInvalid = defineError<{ problem: string }>({
  code: 'connection.address-invalid',
  kind: 'invalid',
  message: ({ problem }) => `This URL can’t be used for a connection: ${problem}`,
  remedy: () => 'Enter the HTTPS URL of an MCP server, without a username or password.',
})

export const connectionAddressRefused = defineError<{ host: string }>({
  code: 'connection.address-refused',
  kind: 'forbidden',
  message: ({ host }) => `${host} is in a private network. Connections to private networks are not allowed.`,
  remedy: () => 'An administrator can allow it with THREADBOX_CONNECTIONS_ALLOW.',
})

export const connectionAnswerTooLarge = defineError<{ mebibytes: number }>({
  code: 'connection.answer-too-large',
  kind: 'unavailable',
  message: ({ mebibytes }) => `The MCP server’s response is larger than ${mebibytes} MiB and was cut off.`,
  remedy: () => 'Request less data at a time: one page, a smaller range, or fewer fields.',
})
