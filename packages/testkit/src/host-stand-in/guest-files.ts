import { mkdir, readdir, rename, rm, stat, watch } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { filesystem } from '@threadbox/protocol/guest'

type WatchAnswer = MessageInitShape<typeof filesystem.WatchDirResponseSchema>

/** The guest's files as plain files of this machine. */
export function filesystemRoutes(router: ConnectRouter, real: (path: string) => string): void {
  const info = async (path: string) => {
    const found = await stat(real(path)).catch(() => undefined)
    if (found === undefined) throw new ConnectError('no such file', Code.NotFound)
    return {
      name: basename(path),
      path,
      type: found.isDirectory() ? filesystem.FileType.DIRECTORY : filesystem.FileType.FILE,
      size: BigInt(found.size),
      permissions: 'rw-r--r--',
      modifiedTime: {
        seconds: BigInt(Math.floor(found.mtimeMs / 1000)),
        nanos: Math.floor((found.mtimeMs % 1000) * 1e6),
      },
    }
  }
  router.service(filesystem.Filesystem, {
    stat: async ({ path }) => ({ entry: await info(path) }),
    listDir: async ({ path }) => {
      await info(path)
      const names = await orRefused(readdir(real(path)))
      return { entries: await Promise.all(names.map((name) => info(join(path, name)))) }
    },
    watchDir: async function* ({ path }, { signal }): AsyncGenerator<WatchAnswer> {
      await info(path)
      const changes = watch(real(path), { signal })
      yield { event: { case: 'start', value: {} } }
      for await (const { filename } of changes) {
        yield { event: { case: 'filesystem', value: { name: filename ?? '', type: filesystem.EventType.WRITE } } }
      }
    },
    makeDir: async ({ path }) => {
      await orRefused(mkdir(real(path), { recursive: true }))
      return { entry: await info(path) }
    },
    move: async ({ source, destination }) => {
      await orRefused(rename(real(source), real(destination)))
      return { entry: await info(destination) }
    },
    remove: async ({ path }) => {
      await rm(real(path), { recursive: true })
      return {}
    },
  })
}

/** A path that the system refuses, such as a name that is too long, is refused as the guest does it. */
async function orRefused<Result>(operation: Promise<Result>): Promise<Result> {
  return await operation.catch((error) => {
    throw new ConnectError(String(error), Code.InvalidArgument)
  })
}
