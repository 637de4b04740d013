import type { IncomingMessage, ServerResponse } from 'node:http'
import { bootHeader, errorHeader, type HostSandbox } from '@threadbox/protocol/host'

export type StandInService = (request: IncomingMessage, response: ServerResponse) => void

/** True if the boot that the request names is awake. */
export function isAsked(sandbox: HostSandbox, request: IncomingMessage): boolean {
  return sandbox.actual === 'ready' && request.headers[bootHeader] === sandbox.bootId
}

export const closedPort: StandInService = (_, response) =>
  refuse(response, { status: 503, code: 'sandbox.port-closed', kind: 'unavailable' })

export const sleepingPort: StandInService = (_, response) =>
  refuse(response, { status: 409, code: 'sandbox.paused', kind: 'conflict' })

/** The gateway sends the code of its own errors in a header, so that they are not mistaken for the sandbox’s. */
function refuse(response: ServerResponse, problem: { status: number; code: string; kind: string }): void {
  const { status, ...error } = problem
  const body = { error: { ...error, message: `${error.code} in the test`, remedy: 'None.', details: {} } }
  response.writeHead(status, { [errorHeader]: error.code }).end(JSON.stringify(body))
}
