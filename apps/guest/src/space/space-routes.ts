import { existsSync, lstatSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type DiskSpace, diskSpaceFile, diskSpaceSchema, guestPaths, ownDf } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { z } from 'zod'
import { initInvalid } from '../ground/guest-state.ts'
import { readJson, sendJson } from '../ground/http.ts'
import type { Route } from '../ground/server.ts'

/** The disk space that the host reports, for programs of the sandbox: `statfs` here shows the pool of all disks. */
export type DiskSpaceNow = {
  routes: Route[]
  /** Undefined until the host has reported it. */
  read(): DiskSpace | undefined
}

export function makeDiskSpace({ scratchDirectory }: { scratchDirectory: string }): DiskSpaceNow {
  let current: DiskSpace | undefined
  const file = join(scratchDirectory, basename(diskSpaceFile))
  const route: Route = {
    method: 'POST',
    path: guestPaths.disk,
    access: 'token',
    handle: async (request, response) => {
      const parsed = diskSpaceSchema.safeParse(await readJson(request))
      if (!parsed.success) throw initInvalid({ problem: z.prettifyError(parsed.error) })
      current = parsed.data
      writeFileSync(`${file}.next`, JSON.stringify(current), { mode: 0o644 })
      renameSync(`${file}.next`, file)
      sendJson(response, { body: {} })
    },
  }
  return { routes: [route], read: () => current }
}

/** Puts our `df` before the image's on every search path, unless a `df` already exists there. */
export function linkDf(options: { program: string; logger: Logger }): void {
  try {
    if (!existsSync(options.program) || !existsSync(dirname(ownDf))) return
    if (lstatSync(ownDf, { throwIfNoEntry: false }) === undefined) symlinkSync(options.program, ownDf)
  } catch (error) {
    options.logger.warn({ err: error }, 'df shows the pool here')
  }
}
