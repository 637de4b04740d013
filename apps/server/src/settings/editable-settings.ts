import { defaultSandboxLimits } from '@threadbox/domain'
import { z } from 'zod'

/** One setting that the owner changes in the app, as opposed to those read from the environment at start. */
export type EditableSetting = { doc: string; schema: z.ZodType<number>; default: number }

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
} as const satisfies Record<string, EditableSetting>

export type SettingName = keyof typeof editableSettings
export type SettingValues = Record<SettingName, number>

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(editableSettings, name)
}
