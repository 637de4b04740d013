import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'
import { sandboxIds } from './shifted-ids.ts'

/**
 * What the driver records about a boot, so that it can be found after the driver was killed. One directory per boot;
 * the record is replaced atomically. It is lost at most with the host, and then the boot is gone too: a power cut can
 * leave no record, an empty file or a part of one. A complete record with an unknown shape is not such a loss and is
 * rejected: its boot may be running.
 */
export const bootRecordSchema = z.object({
  version: z.literal(1),
  bootId: z.string(),
  sandboxId: z.string(),
  /** The start of the host that this boot belongs to. */
  machineBootId: z.string(),
  phase: z.enum(['starting', 'running', 'stopping', 'ended']),
  /** The program that created the container and handles it from then on. */
  runscPath: z.string(),
  /** Records of earlier releases have none: their boots have the machine’s. */
  ids: z.enum(sandboxIds).default('machine'),
  process: z.object({ pid: z.number().int(), startTicks: z.string() }).nullable(),
  end: z
    .object({
      cause: z.enum(['stopped', 'memory-backstop', 'killed-inside', 'killed-outside', 'machine-restarted', 'unknown']),
      detail: z.string(),
    })
    .nullable(),
})
export type BootRecord = z.infer<typeof bootRecordSchema>

export type BootRecords = {
  directoryOf(bootId: string): string
  read(bootId: string): Promise<BootRecord | undefined>
  write(record: BootRecord): Promise<void>
  remove(bootId: string): Promise<void>
  list(): Promise<string[]>
}

export function makeBootRecords(parent: string): BootRecords {
  const directoryOf = (bootId: string) => path.join(parent, bootId)
  return {
    directoryOf,
    read: async (bootId) => {
      const text = await readFile(path.join(directoryOf(bootId), 'record.json'), 'utf8').catch(() => undefined)
      const json = text === undefined ? undefined : parseJson(text)
      return json === undefined ? undefined : bootRecordSchema.parse(json)
    },
    write: async (record) => {
      const directory = directoryOf(record.bootId)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const temporary = path.join(directory, 'record.json.new')
      await writeFile(temporary, JSON.stringify(record), { mode: 0o600 })
      await rename(temporary, path.join(directory, 'record.json'))
    },
    remove: (bootId) => rm(directoryOf(bootId), { recursive: true, force: true }),
    list: async () => {
      const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    },
  }
}
