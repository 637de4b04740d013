import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { rescueReportSchema } from '@threadbox/protocol/guest'
import { z } from 'zod'
import type { SandboxUser } from '../launch/users.ts'

/** A process that was ended, and everything needed to start it again. Only root can read it. */
const storedProcessSchema = z.object({
  id: z.string(),
  commandLine: z.array(z.string()),
  executable: z.string(),
  cwd: z.string(),
  uid: z.number(),
  environment: z.record(z.string(), z.string()),
  /** Files behind its standard input, output and errors; empty for anything else. */
  files: z.array(z.string()).length(3),
})
export type StoredProcess = z.infer<typeof storedProcessSchema>

export const storedSchema = z.object({
  version: z.literal(1),
  /** The report from when it was made. */
  report: rescueReportSchema,
  kernels: z.array(
    z.object({
      context: z.string(),
      cwd: z.string(),
      /** Groups that could not be restored in an earlier attempt. */
      skip: z.array(z.number()),
    }),
  ),
  /** Hash of the shell session's state; empty without one. */
  shellHash: z.string(),
  processes: z.array(storedProcessSchema),
})
export type StoredRescue = z.infer<typeof storedSchema>

/** Numbered, so that the newest is known whatever the clock says. */
const finishedName = /^\d{8}$/
const unfinishedEnding = '.new'
const replayedMark = 'replayed'

/**
 * Rescues on the sandbox's disk, each in its own directory. A rescue gets its final name last, so an interrupted one
 * does not exist. The newest one counts. Everything belongs to root except what kernels write and read, and other users
 * can reach that only while a kernel does so.
 */
export type RescueStore = {
  /** Prepares a new rescue. */
  begin(): RescueDraft
  newest(): FoundRescue | undefined
  /** Records that a rescue was restored, so that a later boot can report that its values are old. */
  markReplayed(directory: string): void
  /** Directory in which the kernel of a context saved its values. */
  kernelDirectory(directory: string, context: string): string
  /** Opens, or closes, the path to what kernels saved. */
  setPassable(directory: string, isPassable: boolean): void
}

export type FoundRescue = { directory: string; stored: StoredRescue; replayedAtMs: number | undefined }

export type RescueDraft = {
  directory: string
  /** Makes a directory that only this user can enter. */
  makeKernelDirectory(context: string, user: SandboxUser): string
  /** Makes it durable, then current; deletes older ones. */
  finish(stored: StoredRescue): void
  discard(): void
}

export function makeRescueStore(options: { stateDirectory: string }): RescueStore {
  const root = join(options.stateDirectory, 'rescue')
  const finished = () =>
    namesIn(root)
      .filter((name) => finishedName.test(name))
      .sort()
  const kernelDirectory = (directory: string, context: string) => join(directory, 'kernels', context)
  const setPassable = (directory: string, isPassable: boolean) => {
    for (const path of [root, directory, join(directory, 'kernels')]) chmodSync(path, isPassable ? 0o711 : 0o700)
  }
  return {
    kernelDirectory,
    setPassable,
    markReplayed: (directory) => {
      writeFileSync(join(directory, replayedMark), '', { mode: 0o600 })
    },
    newest: () => {
      for (const name of finished().reverse()) {
        const directory = join(root, name)
        const stored = readStored(directory)
        if (stored === undefined) continue
        const mark = lstatSync(join(directory, replayedMark), { throwIfNoEntry: false })
        return { directory, stored, replayedAtMs: mark?.mtimeMs }
      }
      return undefined
    },
    begin: () => {
      for (const name of namesIn(root)) if (!finishedName.test(name)) remove(join(root, name))
      const name = String(Number(finished().at(-1) ?? 0) + 1).padStart(8, '0')
      const directory = join(root, name + unfinishedEnding)
      // One by one: with `recursive`, a full disk would show as a missing directory.
      if (!existsSync(root)) mkdirSync(root, { mode: 0o700 })
      mkdirSync(directory, { mode: 0o700 })
      mkdirSync(join(directory, 'kernels'), { mode: 0o700 })
      return {
        directory,
        makeKernelDirectory: (context, user) => {
          setPassable(directory, true)
          const path = kernelDirectory(directory, context)
          mkdirSync(path, { mode: 0o700 })
          if (process.getuid?.() === 0) chownSync(path, user.uid, user.gid)
          return path
        },
        finish: (stored) => {
          writeFileSync(join(directory, 'rescue.json'), JSON.stringify(stored), { mode: 0o600 })
          setPassable(directory, false)
          syncTree(directory)
          const older = finished()
          renameSync(directory, join(root, name))
          syncPath(root)
          for (const other of older) remove(join(root, other))
        },
        discard: () => remove(directory),
      }
    },
  }
}

function readStored(directory: string): StoredRescue | undefined {
  try {
    return storedSchema.parse(JSON.parse(readFileSync(join(directory, 'rescue.json'), 'utf8')))
  } catch {
    return undefined
  }
}

function remove(path: string) {
  rmSync(path, { recursive: true, force: true })
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Users' processes can have put anything into their directory: only plain files and directories are opened. */
function syncTree(path: string) {
  const facts = lstatSync(path)
  if (facts.isDirectory()) for (const name of readdirSync(path)) syncTree(join(path, name))
  if (facts.isDirectory() || facts.isFile()) syncPath(path)
}

function syncPath(path: string) {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
