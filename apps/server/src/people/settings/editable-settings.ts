import { defaultLifecyclePolicy, defaultSandboxLimits } from '@threadbox/domain'
import { z } from 'zod'

/** One setting that the owner changes in the app, as opposed to those read from the environment at start. */
export type EditableSetting<Value extends number | string = number | string> = {
  doc: string
  schema: z.ZodType<Value>
  default: Value
}

const MiB = 1024 * 1024

/** Settings that the app can change while the server runs. Limits reach sandboxes that run, too. */
export const editableSettings = {
  sandboxMemoryBytes: {
    doc: 'Memory of each sandbox, in bytes.',
    schema: z
      .number()
      .int()
      .min(256 * MiB)
      .max(1024 * 1024 * MiB),
    default: defaultSandboxLimits.memoryBytes,
  },
  sandboxCpus: {
    doc: 'Processors that each sandbox may use; fractions are allowed.',
    schema: z.number().min(0.1).max(256),
    default: defaultSandboxLimits.cpus,
  },
  sandboxProcesses: {
    doc: 'Processes and threads that each sandbox may have.',
    schema: z.number().int().min(64).max(32_768),
    default: defaultSandboxLimits.processes,
  },
  sandboxDiskBytes: {
    doc: 'Disk of each sandbox with its snapshots, in bytes.',
    schema: z
      .number()
      .int()
      .min(512 * MiB)
      .max(16 * 1024 * 1024 * MiB),
    default: defaultSandboxLimits.diskBytes,
  },
  idlePauseMinutes: {
    doc: 'Minutes without any work after which a sandbox is paused.',
    schema: z.number().int().min(1).max(10_080),
    default: defaultLifecyclePolicy.idlePauseMinutes,
  },
  hotHours: {
    doc: 'Hours for which the memory of a paused sandbox is kept in any case.',
    schema: z.number().min(0).max(8760),
    default: defaultLifecyclePolicy.hotHours,
  },
  hotKeep: {
    doc: '`guaranteed`: memory is kept for longer while there is room. `strict`: it is given up after exactly that time.',
    schema: z.enum(['guaranteed', 'strict']),
    default: defaultLifecyclePolicy.hotKeep,
  },
  maxAwakeHours: {
    doc: 'Hours after which a sandbox is paused even if it works; it is announced an hour before.',
    schema: z.number().min(0.1).max(8760),
    default: defaultLifecyclePolicy.maxAwakeHours,
  },
  retentionDays: {
    doc: 'Days without use after which the files of a sandbox are removed, announced a week before. 0: never.',
    schema: z.number().int().min(0).max(36_500),
    default: 0,
  },
  maxServices: {
    doc: 'Services that may run in a thread at the same time. 1: a new one takes the place of the old one.',
    schema: z.number().int().min(1).max(100),
    default: defaultLifecyclePolicy.maxServices,
  },
  rescueSeconds: {
    doc: 'Seconds that writing down Python variables may take when the memory of a sandbox is given up.',
    schema: z.number().int().min(1).max(600),
    default: 60,
  },
  rescueMebibytes: {
    doc: 'Mebibytes that all Python variables of a sandbox may take when its memory is given up.',
    schema: z.number().int().min(1).max(65_536),
    default: 1024,
  },
  rescueVariableMebibytes: {
    doc: 'Mebibytes that one Python variable may take when the memory of its sandbox is given up.',
    schema: z.number().int().min(1).max(65_536),
    default: 256,
  },
  snapshotsPerThread: {
    doc: 'Snapshots of its disk that are kept of a thread, one for each answer that changed it. 0: none.',
    schema: z.number().int().min(0).max(1000),
    default: 50,
  },
  snapshotMebibytesPerThread: {
    doc: 'Mebibytes that were written between the snapshots of a thread, before compression; then the oldest go.',
    schema: z.number().int().min(1).max(16_777_216),
    default: 4096,
  },
  snapshotMebibytes: {
    doc: 'The same for all threads together.',
    schema: z.number().int().min(1).max(1_073_741_824),
    default: 16_384,
  },
  memorySnapshotsPerThread: {
    doc: 'Newest snapshots of a thread that are kept with what ran then, so that a rewind brings it back. 0: none.',
    schema: z.number().int().min(0).max(100),
    default: 6,
  },
  memorySnapshotMebibytes: {
    doc: 'Mebibytes of such memory of all threads; then the oldest goes. One takes at most a quarter.',
    schema: z.number().int().min(1).max(1_073_741_824),
    default: 4096,
  },
  memorySnapshotQuietSeconds: {
    doc: 'Seconds that a thread is left alone after an answer before what runs is kept; what is sent sooner does not wait for it.',
    schema: z.number().int().min(0).max(600),
    default: 2,
  },
  runsAtOnce: {
    doc: 'Runs of agents that work at the same time for one person. Others wait.',
    schema: z.number().int().min(1).max(100),
    default: 3,
  },
  runsQueued: {
    doc: 'Runs of agents that may wait for one person. One more is refused, and a scheduled one is recorded as skipped.',
    schema: z.number().int().min(1).max(10_000),
    default: 100,
  },
  runHistoryDays: {
    doc: 'Days for which runs that have ended are listed. Their threads stay, unless the agent keeps those of its newest runs only.',
    schema: z.number().int().min(1).max(3650),
    default: 90,
  },
  runHistoryCount: {
    doc: 'Ended runs of an agent that are listed at most; then the oldest go from the list.',
    schema: z.number().int().min(10).max(100_000),
    default: 1000,
  },
} as const satisfies Record<string, EditableSetting>

export type SettingName = keyof typeof editableSettings
export type SettingValues = { [Name in SettingName]: z.infer<(typeof editableSettings)[Name]['schema']> }

/** Settings that bound a sandbox, as opposed to those that decide when it sleeps. */
export function isLimitName(name: string): boolean {
  return name.startsWith('sandbox')
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(editableSettings, name)
}
