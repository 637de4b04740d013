import type { IncomingMessage, ServerResponse } from 'node:http'
import { filesystem } from '@threadbox/protocol/guest'
import type { GuestState } from '../ground/guest-state.ts'
import type { Route } from '../ground/server.ts'
import { userNameOf } from '../launch/users.ts'
import { checkFileAccess } from './file-access.ts'
import type { FileServers } from './file-servers.ts'

/** All file routes, forwarded to the file server of the requested user. */
export function fileRoutes(dependencies: { state: GuestState; servers: FileServers; clock: () => number }): Route[] {
  const { state, servers, clock } = dependencies
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const query = new URL(request.url ?? '/', 'http://guest').searchParams
    const userName = query.get('username') || userNameOf(request.headers.authorization)
    await servers.forward(request, { response, userName })
  }
  const signed = async (request: IncomingMessage, response: ServerResponse) => {
    const query = new URL(request.url ?? '/', 'http://guest').searchParams
    checkFileAccess(request, { state, query, nowSeconds: clock() / 1000 })
    await forward(request, response)
  }
  const rpcs = filesystem.Filesystem.methods.map((method) => ({
    method: 'POST',
    path: `/${filesystem.Filesystem.typeName}/${method.name}`,
    access: 'token' as const,
    handle: forward,
  }))
  return [
    { method: 'GET', path: '/files', access: 'open', handle: signed },
    { method: 'POST', path: '/files', access: 'open', handle: signed },
    { method: 'GET', path: '/files/archive', access: 'token', handle: forward },
    ...rpcs,
  ]
}
