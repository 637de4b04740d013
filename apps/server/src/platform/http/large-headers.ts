import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Node’s own limit. More are cookies that a page planted: nothing of the app needs half of it. */
export const ordinaryHeaderBytes = 16 * 1024
/** 180 cookies of 4 KiB, the most that Chromium and Firefox keep for a domain, and what else a request has. */
export const maxHeaderBytes = 1024 * 1024
/** Set on responses to requests with large headers: how many cookies the browser sent. */
export const cookieCountHeader = 'threadbox-cookie-count'

/** Node keeps the headers of a request in memory as long as it lasts: 64 MiB together. */
const maxConnections = 64
const checkMs = 250

/**
 * Limits how many connections have large headers at the same time, so that raising Node’s limit of headers doesn’t raise
 * the memory that strangers can take. A connection beyond it is closed while it still sends its headers; `accepts` says
 * whether one that has sent them is served.
 */
export function limitLargeHeaders(server: Server): { accepts(request: IncomingMessage): boolean } {
  const large = new Set<Socket>()
  /** Connections that are sending headers, and how many bytes they had sent before. */
  const sending = new Map<Socket, number>()
  let timer: NodeJS.Timeout | undefined
  const add = (socket: Socket): boolean => {
    if (!large.has(socket) && large.size >= maxConnections) return false
    large.add(socket)
    return true
  }
  const check = () => {
    for (const [socket, before] of sending) {
      if (socket.bytesRead - before > ordinaryHeaderBytes && !add(socket)) socket.destroy()
    }
    if (sending.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const follow = (socket: Socket) => {
    sending.set(socket, socket.bytesRead)
    timer ??= setInterval(check, checkMs).unref()
  }
  server.on('connection', (socket) => {
    follow(socket)
    socket.once('close', () => {
      sending.delete(socket)
      large.delete(socket)
    })
  })
  server.on('request', ({ socket }, response) => {
    sending.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) follow(socket)
    })
  })
  server.on('upgrade', ({ socket }) => sending.delete(socket))
  return {
    accepts: ({ rawHeaders, socket }) => {
      const bytes = rawHeaders.reduce((sum, text) => sum + text.length, 0)
      return bytes <= ordinaryHeaderBytes || add(socket)
    },
  }
}
