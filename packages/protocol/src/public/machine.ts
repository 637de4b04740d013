import { z } from 'zod'
import { quotaNameSchema, quotaRequestSchema } from './quotas.ts'
import { checkSchema } from './requests.ts'
import { publicSandboxStateSchema } from './sandbox.ts'

const bytes = z.number().int()
const at = z.number().int()

/** Memory, disk, processors and network of the machine. `null`: the kernel doesn’t show it. */
export const machineFiguresSchema = z
  .object({
    memory: z.object({
      totalBytes: bytes,
      availableBytes: bytes,
      /** Boots of sandboxes that run, without the page cache. */
      sandboxesBytes: bytes,
      /** Paused sandboxes whose processes are kept in RAM. Discarded when memory is needed. */
      frozenBytes: bytes,
      /** Sandboxes that wait for a thread. Discarded when memory is needed. */
      sparesBytes: bytes,
      /** How many more sandboxes can be awake, by what the host admits. */
      roomForBoots: z.number().int(),
    }),
    disk: z.object({
      totalBytes: bytes,
      usedBytes: bytes,
      /** Disks of sandboxes with their snapshots. */
      disksBytes: bytes.nullable(),
      /** What was written between snapshots, before compression; a part of `disksBytes`. */
      snapshotsBytes: bytes,
      memoryImagesBytes: bytes,
      imagesBytes: bytes,
      /** The file system’s own tables. */
      tablesBytes: bytes.nullable(),
    }),
    /** Since the machine has started. */
    processor: z.object({ count: z.number().int(), busySeconds: z.number(), sandboxSeconds: z.number().nullable() }),
    network: z.object({ receivedBytes: bytes, sentBytes: bytes }).nullable(),
  })
  .meta({ id: 'MachineFigures' })

/** A sandbox as the machine page shows it: nothing of what is in it. */
export const machineSandboxSchema = z
  .object({
    sandboxId: z.string(),
    /** The creator of its thread. */
    userId: z.string(),
    state: publicSandboxStateSchema,
    since: at,
    /** What keeps it awake, without details. */
    why: z.array(z.enum(['turn', 'cpu', 'request', 'terminal', 'hold'])),
    /** Its place in line. `limit`: its person’s limit is reached; `memory`: the host’s memory is full. */
    waiting: z.object({ position: z.number().int(), reason: z.enum(['limit', 'memory']) }).nullable(),
    memoryBytes: bytes.nullable(),
    diskBytes: bytes.nullable(),
  })
  .meta({ id: 'MachineSandbox' })

export const nearLimitSchema = z
  .object({
    userId: z.string(),
    quota: quotaNameSchema,
    used: z.number().int(),
    limit: z.number().int(),
    resetsAt: at.nullable(),
  })
  .meta({ id: 'NearLimit' })

export const machineSchema = z
  .object({
    at,
    /** Null: the host daemon does not respond. */
    host: machineFiguresSchema.nullable(),
    /** From the last 7 days. Null: not measured for a day yet, or not growing. */
    growth: z.object({ bytesPerDay: bytes.nullable(), fullAt: at.nullable() }),
    /** Those of threads, largest first. */
    sandboxes: z.array(machineSandboxSchema),
    /** Who has used 80 % of a limit or more. */
    nearLimits: z.array(nearLimitSchema),
    requests: z.array(quotaRequestSchema),
    spend: z.object({
      from: z.iso.date(),
      to: z.iso.date(),
      costMicroUsd: z.number().int(),
      models: z.array(
        z.object({
          modelId: z.string(),
          name: z.string(),
          costMicroUsd: z.number().int(),
          requests: z.number().int(),
        }),
      ),
    }),
    versions: z.object({
      release: z.string(),
      /** Null: the host daemon does not respond. */
      driver: z.string().nullable(),
      /** Guests that sandboxes still run or are saved with. */
      guests: z.array(z.object({ name: z.string(), boots: z.number().int() })),
    }),
    checks: z.array(checkSchema),
    /** Responses with which the server failed, since it started, newest first. */
    errors: z.array(z.object({ code: z.string(), count: z.number().int(), lastAt: at })),
  })
  .meta({ id: 'Machine' })
export type Machine = z.infer<typeof machineSchema>
export type MachineFigures = z.infer<typeof machineFiguresSchema>
export type MachineSandbox = z.infer<typeof machineSandboxSchema>
export type NearLimit = z.infer<typeof nearLimitSchema>

export const machineSpans = ['day', 'month'] as const
export type MachineSpan = (typeof machineSpans)[number]

/** One point: what was measured in `stepMs` from `at`. Shares and rates are means; null: not measured. */
export const machinePointSchema = z
  .object({
    at,
    memoryUsedBytes: bytes,
    sandboxesBytes: bytes,
    diskUsedBytes: bytes,
    /** Of all processors, from 0 to 1. */
    cpuShare: z.number().nullable(),
    receivedPerSecond: z.number().nullable(),
    sentPerSecond: z.number().nullable(),
    awake: z.number(),
    waiting: z.number(),
  })
  .meta({ id: 'MachinePoint' })
export type MachinePoint = z.infer<typeof machinePointSchema>

/** `GET /machine/history`, oldest first. Times without a measurement have no point. */
export const machineHistorySchema = z
  .object({
    from: at,
    to: at,
    stepMs: z.number().int(),
    memoryTotalBytes: bytes,
    diskTotalBytes: bytes,
    points: z.array(machinePointSchema),
  })
  .meta({ id: 'MachineHistory' })
export type MachineHistory = z.infer<typeof machineHistorySchema>
