import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import type { CommandResult, GuestAddress } from '@threadbox/protocol/gateway'
import { accessTokenHeader, guestPort, runs } from '@threadbox/protocol/guest'

/** A program reads the output of the host's own commands: more than this is nonsense. */
const longestOutput = 10_000

/** A guest sends output in pieces of 256 KiB. */
const maxMessageBytes = 1024 * 1024

export type GuestCommand = { key: string; command: string; session: string; timeoutMs: number }

/** Runs a command of the host in a guest, in a session that is not the user's; returns the start of its output. */
export async function runInGuest(guest: GuestAddress, request: GuestCommand): Promise<CommandResult> {
  const client = createClient(
    runs.Runs,
    createConnectTransport({
      httpVersion: '1.1',
      baseUrl: `http://${guest.address}:${guestPort}`,
      readMaxBytes: maxMessageBytes,
      acceptCompression: [],
      // No connection is kept: an address can belong to another sandbox as soon as this one is deleted.
      nodeOptions: { agent: false },
      interceptors: [
        (next) => (request) => {
          request.header.set(accessTokenHeader, guest.accessToken)
          return next(request)
        },
      ],
    }),
  )
  await client.startCommand(request)
  const result = { exitCode: -1, output: '' }
  for await (const { event } of client.read({ key: request.key, offset: 0n, display: 0 })) {
    if (event.case === 'output' && result.output.length < longestOutput) {
      result.output += Buffer.from(event.value.data).toString()
    }
    if (event.case === 'ended') result.exitCode = event.value.exitCode
  }
  await client.forget({ key: request.key })
  return { ...result, output: result.output.slice(0, longestOutput) }
}
