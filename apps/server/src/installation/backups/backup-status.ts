import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'

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
}

export const backupStatusFile = (directory: string) => `${directory}/backups/status.json`

export async function readBackupStatus(file: string): Promise<BackupStatus> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return never
  }
}

export async function changeBackupStatus(file: string, change: Partial<BackupStatus>): Promise<void> {
  const status = { ...(await readBackupStatus(file)), ...change }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, JSON.stringify(status), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
