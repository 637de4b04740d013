import { open, readFile, rename, stat } from 'node:fs/promises'
import { backupNotConfirmed, backupNotSetUp } from '@threadbox/backups'
import { z } from 'zod'
import { backupSettingsDamaged } from './backups.errors.ts'

const schema = z.object({
  format: z.literal(1),
  /** The address of the store. */
  place: z.string(),
  /** Of a bucket; empty for a folder. */
  access: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  /** What writes backups and can’t read them. */
  keys: z.object({ recipient: z.string(), signingKey: z.string() }),
  /** The last characters of the recovery key, which a person types back. */
  ending: z.string(),
  isConfirmed: z.boolean(),
  retention: z.object({
    daily: z.number().int().min(0),
    weekly: z.number().int().min(0),
    monthly: z.number().int().min(0),
  }),
})

/** Where backups go, and the keys that write them; a file that only the server can read. */
export type BackupSettings = z.infer<typeof schema>

export function backupSettingsFile(directory: string): string {
  return `${directory}/backup.json`
}

/** Undefined: backups were never set up. Throws `backup.settings-damaged`. */
export async function readBackupSettings(directory: string): Promise<BackupSettings | undefined> {
  const file = backupSettingsFile(directory)
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const isReadable = cause instanceof z.ZodError || cause instanceof SyntaxError
    throw backupSettingsDamaged({ file, reason: isReadable ? 'its content is damaged' : message }, { cause })
  }
}

/** When they were last written: at the latest when the key was confirmed. */
export async function backupsSetUpAt(directory: string): Promise<number> {
  return Math.round((await stat(backupSettingsFile(directory))).mtimeMs)
}

/** Those with which a backup can be written: its recovery key is known to a person. */
export async function confirmedSettings(directory: string): Promise<BackupSettings> {
  const settings = await readBackupSettings(directory)
  if (settings === undefined) throw backupNotSetUp({})
  if (!settings.isConfirmed) throw backupNotConfirmed({})
  return settings
}

export async function writeBackupSettings(directory: string, settings: BackupSettings): Promise<void> {
  const draft = `${backupSettingsFile(directory)}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(settings, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, backupSettingsFile(directory))
}
