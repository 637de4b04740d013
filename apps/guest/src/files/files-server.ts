import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { filesystem } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { routeUnknown, sendError, sendJson } from '../ground/http.ts'
import { rpcErrorInterceptor } from '../ground/rpc-errors.ts'
import { sendArchive } from './archive.ts'
import { sendFile } from './download.ts'
import { type PathBase, resolvePath } from './file-entries.ts'
import { uploadInvalid } from './file-errors.ts'
import { makeFilesystemService } from './filesystem-service.ts'
import { receiveUpload } from './upload.ts'

/** Proves to a file server that a request comes from the guest daemon, not from another user of the sandbox. */
export const fileServerSecretHeader = 'x-guest-secret'

/**
 * Serves files with the rights of its own process: the operating system decides what can be read and written, so no
 * path is checked and no link leads further than the user could go.
 */
export function makeFilesServer(options: { base: PathBase; secret: string; logger: Logger }): Server {
  const { base, secret, logger } = options
  const rpc = connectNodeAdapter({
    routes: (router) => void router.service(filesystem.Filesystem, makeFilesystemService(base)),
    interceptors: [rpcErrorInterceptor(logger)],
    fallback: (request, response) =>
      sendError(response as ServerResponse, { error: routeUnknown({ path: request.url ?? '/' }), logger }),
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers[fileServerSecretHeader] !== secret) throw routeUnknown({ path: request.url ?? '/' })
    const url = new URL(request.url ?? '/', 'http://guest')
    const requiredPath = () => {
      const path = url.searchParams.get('path')
      if (path === null || path === '') throw uploadInvalid({ problem: 'the path is missing' })
      return resolvePath(path, base)
    }
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /files':
        return await sendFile(request, { response, path: requiredPath() })
      case 'POST /files':
        return sendJson(response, {
          body: await receiveUpload(request, {
            path: url.searchParams.get('path'),
            base,
            isExecutable: url.searchParams.get('executable') === 'true',
          }),
        })
      case 'GET /files/archive':
        return await sendArchive({ response, path: requiredPath(), only: pathsOf(url.searchParams.get('only')) })
      default:
        rpc(request, response)
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!request.complete) readTheRest(request)
      sendError(response, { error, logger })
    })
  })
  server.requestTimeout = 0
  // A connection that closes just as a request arrives on it would look like a server that has ended.
  server.keepAliveTimeout = 0
  return server
}

const mostUnreadBytes = 16 * 1024 * 1024

/** A client that still sends when it is refused would miss the reason if the connection closed under its data. */
function readTheRest(request: IncomingMessage): void {
  let left = mostUnreadBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}

/** Parses a JSON list. Returns an empty list for null and for anything else. */
function pathsOf(text: string | null): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}
