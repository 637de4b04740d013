import { z } from 'zod'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().min(0)

/** A piece of a file: several files can share one, and it is stored once. */
const chunk = z.tuple([hash, count])

/** One object with chunks, one after the other. */
const packSchema = z.object({ object: hash, sizeBytes: count, chunks: z.array(chunk) })

const fileSchema = z.object({
  path: z.string().min(1).max(1000),
  sizeBytes: count,
  /** Numbers of chunks, counted over all packs in their order. */
  chunks: z.array(count),
})

export const manifestSchema = z.object({
  format: z.literal(1),
  name: z.string(),
  /** The release that wrote it. */
  version: z.string(),
  installation: z.string(),
  startedAt: count,
  endedAt: count,
  database: z.object({ kind: z.enum(['sqlite', 'postgres']), migrations: z.array(z.string()), takenAt: count }),
  counts: z.record(z.string(), count),
  /** What is not in it, and why. */
  leftOut: z.array(z.object({ what: z.string(), reason: z.string() })),
  packs: z.array(packSchema),
  files: z.array(fileSchema),
})

export type Manifest = z.infer<typeof manifestSchema>
export type PackRow = z.infer<typeof packSchema>
export type FileRow = z.infer<typeof fileSchema>

/**
 * What can be read without the recovery key: which objects a backup needs, signed. It lets the machine verify and prune backups
 * that it can’t decrypt.
 */
export const indexSchema = z.object({
  format: z.literal(1),
  name: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
  manifest: z.object({ sha256: hash, sizeBytes: count }),
  objects: z.array(chunk),
})
export type BackupIndex = z.infer<typeof indexSchema>

export function backupName(startedAt: number, id: string): string {
  return `${new Date(startedAt).toISOString().replace(/[-:]|\.\d+/g, '')}-${id}`
}

/** When a backup was begun, from its name. */
export function timeOfBackup(name: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

export const manifestNameOf = (name: string) => `backups/${name}.age`
export const indexNameOf = (name: string) => `backups/${name}.sig`

/** What the store has for a backup. */
export function bytesOf({ objects, manifest }: BackupIndex): number {
  return objects.reduce((sum, [, size]) => sum + size, manifest.sizeBytes)
}
