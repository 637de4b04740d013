import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { backupStatusDamaged } from './backups.errors.ts'

/** What a backup consists of, in this order. */
export const backupSteps = ['run', 'verify', 'prune'] as const
export type BackupStep = (typeof backupSteps)[number]

const failureSchema = z.object({
  step: z.enum(backupSteps),
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
})

const backupRowSchema = z.object({
  name: z.string(),
  sizeBytes: z.number(),
  /** When it was last compared with what the store has; null: never. */
  verifiedAt: z.number().nullable(),
  problems: z.array(z.string()),
  /** Null: another machine wrote it, so this one can’t know. */
  leftOut: z.array(z.object({ what: z.string(), reason: z.string() })).nullable(),
})
export type BackupRow = z.infer<typeof backupRowSchema>

const schema = z.object({
  /** Each null until there was one. In milliseconds. */
  succeededAt: z.number().nullable(),
  verifiedAt: z.number().nullable(),
  failedAt: z.number().nullable(),
  /** What the last failure said. */
  problem: z.string().nullable(),
  /** Of the last backup. */
  seconds: z.number().nullable(),
  storedBytes: z.number().nullable(),
  startedAt: z.number().nullable().default(null),
  /** The program that writes a backup, until it says how that ended. */
  program: z.object({ pid: z.number(), startTime: z.string(), isRepeated: z.boolean() }).nullable().default(null),
  /** Until the same step succeeds. */
  failure: failureSchema.nullable().default(null),
  /** Those in the store, the newest first, as the last run or verification left them. */
  backups: z.array(backupRowSchema).default([]),
})

/** How the last runs went: a file, because another program than the server writes it. */
export type BackupStatus = z.infer<typeof schema>

const never: BackupStatus = {
  succeededAt: null,
  verifiedAt: null,
  failedAt: null,
  problem: null,
  seconds: null,
  storedBytes: null,
  startedAt: null,
  program: null,
  failure: null,
  backups: [],
}

export const backupStatusFile = (directory: string) => `${directory}/backups/status.json`

/** Throws `backup.status-damaged`. */
export async function readBackupStatus(file: string): Promise<BackupStatus> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw backupStatusDamaged({ reason: error.message }, { cause: error })
  })
  return text === undefined ? never : parseBackupStatus(text)
}

/** Throws `backup.status-damaged`. */
export function parseBackupStatus(text: string): BackupStatus {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? 'it lacks what a record has' : 'it is not JSON'
    throw backupStatusDamaged({ reason }, { cause })
  }
}

/** A damaged record is replaced by one that has only the change. */
export async function changeBackupStatus(
  file: string,
  change: Partial<BackupStatus> | ((status: BackupStatus) => Partial<BackupStatus>),
): Promise<void> {
  const before = await readBackupStatus(file).catch(() => never)
  const status = { ...before, ...(typeof change === 'function' ? change(before) : change) }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.new-${process.pid}`
  await writeFile(draft, JSON.stringify(status), { mode: 0o600 })
  await rename(draft, file)
}
