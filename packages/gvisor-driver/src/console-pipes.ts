import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeSerial } from '@threadbox/concurrency'

/** Named pipes for the consoles of guests, made ahead: every start needs one, and a program of its own takes longer than the rest. */
export type ConsolePipes = {
  /** Puts a new pipe at this path, which must not exist and be on the same file system. */
  place(target: string): Promise<void>
}

const madeTogether = 8

/** What an earlier process left in the directory is removed. */
export async function makeConsolePipes(directory: string): Promise<ConsolePipes> {
  await rm(directory, { recursive: true, force: true })
  const inOrder = makeSerial()
  const ready: string[] = []
  const make = async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const paths = Array.from({ length: madeTogether }, () => path.join(directory, randomUUID()))
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths])
    ready.push(...paths)
  }
  const next = async () => {
    if (ready.length === 0) await make()
    return ready.pop() ?? ''
  }
  return {
    place: (target) =>
      inOrder(async () => {
        const isPlaced = await rename(await next(), target).then(
          () => true,
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOENT') throw error
            return false
          },
        )
        if (isPlaced) return
        // Another process has taken over the directory, and the pipes with it.
        ready.length = 0
        await rename(await next(), target)
      }),
  }
}
