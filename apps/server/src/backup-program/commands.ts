import {
  backupAlreadySetUp,
  backupNotConfirmed,
  backupNotFound,
  backupNotSetUp,
  defaultRetention,
  endOf,
  listBackups,
  makeKeys,
  parseRecoveryKey,
  pruneBackups,
  verificationKeyOf,
  verifyBackups,
  verifyContent,
} from '@threadbox/backups'
import type { ObjectStore } from '@threadbox/object-store'
import { backUpInstallation } from '../installation/backups/back-up-installation.ts'
import {
  type BackupSettings,
  confirmedSettings,
  readBackupSettings,
  writeBackupSettings,
} from '../installation/backups/backup-settings.ts'
import { backupStatusFile, changeBackupStatus, readBackupStatus } from '../installation/backups/backup-status.ts'
import { backupsFoundDamaged } from '../installation/backups/backups.errors.ts'
import { keepMachineFiles } from '../installation/backups/machine-files.ts'
import { restoreDisks } from '../installation/backups/restore-disks.ts'
import { restoreInstallation, stagingFolder } from '../installation/backups/restore-installation.ts'
import { migrate, migrationNames } from '../migrations.registry.ts'
import { openDatabase } from '../platform/database/database.ts'
import { makeHostClient } from '../sandboxes/host/host-client.ts'
import type { ProgramContext } from './context.ts'
import { recordStart, recordSuccess, rowOf, verifiedRows } from './records.ts'
import {
  listedLines,
  lostLines,
  printProgress,
  prunedLines,
  restoredLines,
  verifiedLines,
  writtenLines,
} from './report.ts'

/** `failure`: it ended, and what it found is recorded as a failure. */
type Result = { lines: string[]; isFailed?: boolean; failure?: Error }
export type BackupCommand = (context: ProgramContext, words: readonly string[]) => Promise<Result>

const isAsCopy = (words: readonly string[]) => words.includes('as-copy')

/** Each command with the words that follow it. What the launcher reads from a person comes on standard input. */
export const commands: Readonly<Record<string, BackupCommand>> = {
  init: async (context, [place = '']) => {
    const { directory, access } = context
    const known = await readBackupSettings(directory)
    if (known !== undefined) throw backupAlreadySetUp({ place: known.place })
    await context.open(place, access)
    const { recoveryKey, machine } = await makeKeys()
    const settings: BackupSettings = {
      format: 1,
      place,
      access,
      keys: machine,
      ending: endOf(recoveryKey),
      isConfirmed: false,
      retention: defaultRetention,
    }
    await writeBackupSettings(directory, settings)
    return { lines: [recoveryKey] }
  },

  confirm: async ({ directory }, [ending = '']) => {
    const settings = await readBackupSettings(directory)
    if (settings === undefined) throw backupNotSetUp({})
    if (ending.trim() !== settings.ending) throw backupNotConfirmed({})
    await writeBackupSettings(directory, { ...settings, isConfirmed: true })
    return { lines: ['Confirmed. Backups can be written now.'] }
  },

  /** What the launcher reads as root, for backups that it doesn’t start. */
  'keep-machine-files': async ({ directory }) => {
    await keepMachineFiles(directory, machineFilesFor(await confirmedSettings(directory)))
    return { lines: [] }
  },

  run: async (context, words) => {
    const { settings, store } = await opened(context)
    const host = makeHostClient({ socketPath: context.hostSocket, gatewaySocketPath: context.gatewaySocket })
    const file = backupStatusFile(context.directory)
    try {
      const startedAt = now()
      await recordStart(file, startedAt)
      if (words.includes('machine-files')) await keepMachineFiles(context.directory, machineFilesFor(settings))
      const progress = words.includes('progress') ? { progress: printProgress } : {}
      const written = await backUpInstallation({ ...context, store, settings, host, now, ...progress })
      await changeBackupStatus(file, ({ failure, backups }) => ({
        succeededAt: now(),
        seconds: (now() - startedAt) / 1000,
        storedBytes: written.storedBytes,
        program: null,
        failure: failure?.step === 'verify' ? failure : null,
        backups: [rowOf(written), ...backups],
      }))
      return { lines: writtenLines(written) }
    } finally {
      await host.close()
    }
  },

  list: async (context) => {
    const { store } = await opened(context)
    const status = await readBackupStatus(backupStatusFile(context.directory)).catch(() => undefined)
    const rows = new Map((status?.backups ?? []).map((row) => [row.name, row]))
    const unknown = { verifiedAt: null, problems: [], leftOut: null }
    const lines = (await listBackups(store)).flatMap((name) => listedLines(rows.get(name) ?? { name, ...unknown }))
    return { lines: lines.length === 0 ? [`No backups in ${store.place}.`] : lines }
  },

  verify: async (context, words) => {
    const { settings, store } = await opened(context)
    const quick = await verifyBackups(store, verificationKeyOf(settings.keys.signingKey))
    const full = words.includes('full') ? [await verifyNewest(context, store)] : []
    const all = [...quick, ...full]
    await changeBackupStatus(backupStatusFile(context.directory), ({ backups }) => ({
      backups: verifiedRows(all, { before: backups, at: now() }),
    }))
    const damaged = new Set(all.filter(({ problems }) => problems.length > 0).map(({ name }) => name)).size
    if (damaged > 0) {
      return { lines: verifiedLines(all), failure: backupsFoundDamaged({ damaged, total: quick.length }) }
    }
    await recordSuccess(context, 'verify', { verifiedAt: now() })
    return { lines: verifiedLines(all) }
  },

  prune: async (context) => {
    const { settings, store } = await opened(context)
    const verificationKey = verificationKeyOf(settings.keys.signingKey)
    const { retention } = settings
    const holder = `the installation ${context.installation}`
    const pruned = await pruneBackups({ store, verificationKey, retention, holder, now })
    const { backups } = await readBackupStatus(backupStatusFile(context.directory))
    const kept = backups.filter(({ name }) => !pruned.backups.includes(name))
    await recordSuccess(context, 'prune', { backups: kept })
    return { lines: prunedLines(pruned) }
  },

  'restore-files': async (context, [place = '', wanted = 'newest', ...words]) => {
    const store = await context.open(place, context.access)
    const recoveryKey = await context.readInput()
    const [newest] = await listBackups(store)
    const name = wanted === 'newest' ? newest : wanted
    if (name === undefined) throw backupNotFound({ name: 'to restore', place })
    const order = {
      ...context,
      store,
      name,
      recoveryKey,
      asCopy: isAsCopy(words),
      migrations: migrationNames,
      migrate,
      now,
    }
    const { manifest, lost } = await restoreInstallation(order)
    return { lines: restoredLines(manifest, lost), isFailed: lost.length > 0 }
  },

  'restore-disks': async (context) => {
    const host = makeHostClient({ socketPath: context.hostSocket, gatewaySocketPath: context.gatewaySocket })
    const open = openDatabase(context.database)
    try {
      const staging = stagingFolder(context.directory)
      const { disks, lost } = await restoreDisks({ host, database: open.database, staging })
      return { lines: [`${disks} disks`, ...lostLines(lost)], isFailed: lost.length > 0 }
    } finally {
      await open.close()
      await host.close()
    }
  },
}

const now = () => Date.now()

const machineFilesFor = ({ keys }: BackupSettings) => ({
  content: process.stdin as AsyncIterable<Uint8Array>,
  recipient: keys.recipient,
})

async function opened(context: ProgramContext): Promise<{ settings: BackupSettings; store: ObjectStore }> {
  const settings = await confirmedSettings(context.directory)
  return { settings, store: await context.open(settings.place, settings.access) }
}

async function verifyNewest(context: ProgramContext, store: ObjectStore) {
  const [name] = await listBackups(store)
  if (name === undefined) throw backupNotFound({ name: 'to verify', place: store.place })
  return await verifyContent(store, name, parseRecoveryKey(await context.readInput()))
}
