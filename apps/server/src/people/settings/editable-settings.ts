import { defaultLifecyclePolicy, defaultSandboxLimits } from '@threadbox/domain'
import { z } from 'zod'

/** A setting that the owner changes in the app, in contrast to those read from the environment at start. */
export type EditableSetting<Value extends number | string = number | string> = {
  doc: string
  schema: z.ZodType<Value>
  default: Value
}

const MiB = 1024 * 1024

/** Settings that the app can change while the server runs. Limits also reach running sandboxes. */
export const editableSettings = {
  sandboxMemoryBytes: {
    doc: 'Memory for each sandbox, in bytes.',
    schema: z
      .number()
      .int()
      .min(256 * MiB)
      .max(1024 * 1024 * MiB),
    default: defaultSandboxLimits.memoryBytes,
  },
  sandboxCpus: {
    doc: 'CPU cores each sandbox can use. Fractions are allowed.',
    schema: z.number().min(0.1).max(256),
    default: defaultSandboxLimits.cpus,
  },
  sandboxProcesses: {
    doc: 'Maximum processes and threads in each sandbox.',
    schema: z.number().int().min(64).max(32_768),
    default: defaultSandboxLimits.processes,
  },
  sandboxDiskBytes: {
    doc: 'Disk space for each sandbox, including its snapshots, in bytes.',
    schema: z
      .number()
      .int()
      .min(512 * MiB)
      .max(16 * 1024 * 1024 * MiB),
    default: defaultSandboxLimits.diskBytes,
  },
  idlePauseMinutes: {
    doc: 'Minutes of inactivity before a sandbox pauses.',
    schema: z.number().int().min(1).max(10_080),
    default: defaultLifecyclePolicy.idlePauseMinutes,
  },
  hotHours: {
    doc: 'Hours after a pause for which the sandbox’s saved memory (running programs, variables) is always kept.',
    schema: z.number().min(0).max(8760),
    default: defaultLifecyclePolicy.hotHours,
  },
  hotKeep: {
    doc: 'What happens after that time. `guaranteed`: memory is kept while there’s disk space. `strict`: memory is discarded.',
    schema: z.enum(['guaranteed', 'strict']),
    default: defaultLifecyclePolicy.hotKeep,
  },
  maxAwakeHours: {
    doc: 'Hours after which a sandbox pauses even if it’s working. A notice appears one hour before.',
    schema: z.number().min(0.1).max(8760),
    default: defaultLifecyclePolicy.maxAwakeHours,
  },
  retentionDays: {
    doc: 'Days without use after which a sandbox’s files are deleted. A notice appears one week before. 0: never.',
    schema: z.number().int().min(0).max(36_500),
    default: 0,
  },
  archiveDays: {
    doc: 'Days without use after which a sandbox’s files move to the archive (`THREADBOX_ARCHIVE_STORE`), from where the next use brings them back. 0: never.',
    schema: z.number().int().min(0).max(36_500),
    default: 0,
  },
  maxServices: {
    doc: 'Maximum services running in a thread. 1: a new service replaces the old one.',
    schema: z.number().int().min(1).max(100),
    default: defaultLifecyclePolicy.maxServices,
  },
  rescueSeconds: {
    doc: 'Maximum seconds for saving Python variables to disk before memory is discarded.',
    schema: z.number().int().min(1).max(600),
    default: 60,
  },
  rescueMebibytes: {
    doc: 'Maximum MiB for all saved Python variables of a sandbox.',
    schema: z.number().int().min(1).max(65_536),
    default: 1024,
  },
  rescueVariableMebibytes: {
    doc: 'Maximum MiB for one saved Python variable.',
    schema: z.number().int().min(1).max(65_536),
    default: 256,
  },
  snapshotsPerThread: {
    doc: 'Disk snapshots kept per thread, one for each response that changed the disk. 0: none.',
    schema: z.number().int().min(0).max(1000),
    default: 50,
  },
  snapshotMebibytesPerThread: {
    doc: 'Maximum MiB written between a thread’s snapshots, before compression. Above it, the oldest snapshots are deleted.',
    schema: z.number().int().min(1).max(16_777_216),
    default: 4096,
  },
  snapshotMebibytes: {
    doc: 'Maximum MiB written between the snapshots of all threads, before compression. Above it, the oldest snapshots are deleted.',
    schema: z.number().int().min(1).max(1_073_741_824),
    default: 16_384,
  },
  memorySnapshotsPerThread: {
    doc: 'Newest snapshots per thread that also keep memory, so that a rewind restores running processes. 0: none.',
    schema: z.number().int().min(0).max(100),
    default: 6,
  },
  memorySnapshotMebibytes: {
    doc: 'Maximum MiB of snapshot memory in all threads. Above it, the oldest is deleted. One snapshot can use up to a quarter.',
    schema: z.number().int().min(1).max(1_073_741_824),
    default: 4096,
  },
  memorySnapshotMebibytesPerThreadHour: {
    doc: 'Maximum MiB of memory saved for one thread’s snapshots within an hour. Above it, a save waits until the hour has room.',
    schema: z.number().int().min(1).max(1_073_741_824),
    default: 1024,
  },
  memorySnapshotMebibytesPerHour: {
    doc: 'Maximum MiB of memory saved for the snapshots of all threads within an hour. Above it, saves wait until the hour has room.',
    schema: z.number().int().min(1).max(1_073_741_824),
    default: 8192,
  },
  memorySnapshotQuietSeconds: {
    doc: 'Seconds to wait after a response before saving memory with the snapshot. A message sent sooner skips the save.',
    schema: z.number().int().min(0).max(600),
    default: 10,
  },
  modelUsdPerMonth: {
    doc: 'Maximum USD for requests to models per month, of all people together, for models with a known price. 0: no limit.',
    schema: z.number().min(0).max(1_000_000_000),
    default: 0,
  },
  unpricedModels: {
    doc: 'What happens with requests to models without a price when a limit for models applies. `allowed`: they aren’t counted. `refused`: they’re refused.',
    schema: z.enum(['allowed', 'refused']),
    default: 'allowed',
  },
  modelFallbacks: {
    doc: 'Which models can take over when one can’t respond. `any`: all that are set for it. `same-provider`: only those of the same provider, so that no other one gets the conversation.',
    schema: z.enum(['any', 'same-provider']),
    default: 'any',
  },
  adminsMayRead: {
    doc: 'Whether the owner and admins can read threads that they aren’t in. `never`: they can’t. `with-reason`: read-only, after they enter a reason, which the thread’s members and the audit log show. The sign-in page says when it is on.',
    schema: z.enum(['never', 'with-reason']),
    default: 'never',
  },
  timeZone: {
    doc: 'Time zone of the days and months in reports about usage, and of daily backups, such as `Europe/Berlin`.',
    schema: z.string().max(64).refine(isTimeZone, 'must be a time zone, such as Europe/Berlin'),
    default: 'UTC',
  },
  backupDaily: {
    doc: 'When a backup is made each day, such as `03:15`, in the time zone of reports. Empty: only on request. Has no effect until backups are set up on the machine.',
    schema: z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d)?$/, 'must be a time such as 03:15, or empty'),
    default: '03:15',
  },
  adminPasskeys: {
    doc: 'Whether the owner and admins need a passkey. `required`: those who have none can’t do what only they may do until they add one.',
    schema: z.enum(['optional', 'required']),
    default: 'optional',
  },
  runsAtOnce: {
    doc: 'Maximum agent runs at the same time per person. Others wait.',
    schema: z.number().int().min(1).max(100),
    default: 3,
  },
  runsQueued: {
    doc: 'Maximum agent runs waiting per person. Above it, new runs are rejected and scheduled runs are recorded as skipped.',
    schema: z.number().int().min(1).max(10_000),
    default: 100,
  },
  runHistoryDays: {
    doc: 'Days that finished runs stay in the list. Their threads stay, unless the agent keeps only the threads of its latest runs.',
    schema: z.number().int().min(1).max(3650),
    default: 90,
  },
  runHistoryCount: {
    doc: 'Maximum finished runs listed per agent. Above it, the oldest are removed from the list.',
    schema: z.number().int().min(10).max(100_000),
    default: 1000,
  },
} as const satisfies Record<string, EditableSetting>

export type SettingName = keyof typeof editableSettings
export type SettingValues = { [Name in SettingName]: z.infer<(typeof editableSettings)[Name]['schema']> }

/** Returns whether the setting limits sandboxes, in contrast to those that decide when they sleep. */
export function isLimitName(name: string): boolean {
  return name.startsWith('sandbox')
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(editableSettings, name)
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
