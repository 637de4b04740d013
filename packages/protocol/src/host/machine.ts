import { z } from 'zod'

/** `GET /v1/machine`. Sizes of single sandboxes take a moment on a large host, so they are only included on request. */
export const machineQuerySchema = z.object({ sandboxes: z.stringbool().optional() })

const bytes = z.number().int()

/** What the machine has, and what takes how much of it, read when it is requested. `null`: the kernel doesn’t show it. */
export const hostMachineSchema = z.object({
  memory: z.object({
    totalBytes: bytes,
    availableBytes: bytes,
    /** Boots of sandboxes that run, without the page cache. */
    sandboxesBytes: bytes,
    /** Paused sandboxes whose processes are kept in RAM. Discarded when memory is needed. */
    frozenBytes: bytes,
    /** Sandboxes that wait for a thread. Discarded when memory is needed. */
    sparesBytes: bytes,
    /** How many more boots would be admitted, one after another, if each takes what it is admitted with. */
    roomForBoots: z.number().int(),
  }),
  disk: z.object({
    totalBytes: bytes,
    usedBytes: bytes,
    /** Disks with their snapshots. */
    disksBytes: bytes.nullable(),
    /** What was written between snapshots, before compression; a part of `disksBytes`. */
    snapshotsBytes: bytes,
    memoryImagesBytes: bytes,
    imagesBytes: bytes,
    /** The file system’s own tables. */
    tablesBytes: bytes.nullable(),
  }),
  /** Since the machine has started; `sandboxSeconds`: since the installation’s cgroup exists. */
  processor: z.object({ count: z.number().int(), busySeconds: z.number(), sandboxSeconds: z.number().nullable() }),
  /** What sandboxes received and sent since the router exists. */
  network: z.object({ receivedBytes: bytes, sentBytes: bytes }).nullable(),
  versions: z.object({ driver: z.string(), guests: z.array(z.object({ name: z.string(), boots: z.number().int() })) }),
  /** Only on request. */
  sandboxes: z
    .array(z.object({ sandboxId: z.string(), memoryBytes: bytes.nullable(), diskBytes: bytes.nullable() }))
    .optional(),
})
export type HostMachine = z.infer<typeof hostMachineSchema>
