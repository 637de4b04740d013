import { chmodSync, chownSync, rmSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import type { ErrorDefinition } from '@threadbox/errors'

export type UnixSocket = {
  path: string
  mode: number
  /** The group of the file. Without it, the directory’s, or that of the process. */
  groupId?: number
  /** The error if another process listens there. */
  taken: ErrorDefinition<{ path: string }>
}

/** Listens on a unix socket. Replaces a file that a dead process left. */
export async function listenOnUnixSocket(server: Server, { path, mode, groupId, taken }: UnixSocket): Promise<void> {
  if (await responds(path)) throw taken({ path })
  rmSync(path, { force: true })
  // Until the mode is set, only this user can connect: the umask ensures it, whatever the timing.
  const previous = process.umask(0o177)
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject)
    server.listen(path, resolve)
    await promise
    server.off('error', reject)
  } finally {
    process.umask(previous)
  }
  if (groupId !== undefined) chownSync(path, 0, groupId)
  chmodSync(path, mode)
}

async function responds(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return await promise.finally(() => socket.destroy())
}
