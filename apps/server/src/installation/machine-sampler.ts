import { makeDueLoop } from '@threadbox/concurrency'
import type { HostMachine } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import { keptMs, slotMs } from './machine-history.logic.ts'
import type { MachineSampleStore } from './machine-samples.store.ts'

/** Measures the machine every 5 minutes, for the charts. */
export type MachineSampler = {
  start(): void
  /** Measures now. Throws when the host daemon does not respond. */
  measure(): Promise<void>
  stop(): Promise<void>
}

export function makeMachineSampler(ports: {
  store: MachineSampleStore
  host: { machine(): Promise<HostMachine> }
  awake(): Promise<number>
  waiting(): number
  now(): number
  logger: Logger
}): MachineSampler {
  const { store, now } = ports
  const measure = async () => {
    const slot = Math.floor(now() / slotMs) * slotMs
    const [{ memory, disk, processor, network }, awake] = await Promise.all([ports.host.machine(), ports.awake()])
    await store.add({
      at: slot,
      memory_total: memory.totalBytes,
      memory_used: memory.totalBytes - memory.availableBytes,
      memory_sandboxes: memory.sandboxesBytes,
      disk_total: disk.totalBytes,
      disk_used: disk.usedBytes,
      processors: processor.count,
      busy_ms: Math.round(processor.busySeconds * 1000),
      received: network?.receivedBytes ?? null,
      sent: network?.sentBytes ?? null,
      awake,
      waiting: ports.waiting(),
    })
    await store.removeBefore(now() - keptMs)
  }
  const loop = makeDueLoop({
    check: async () => {
      await measure()
      return (Math.floor(now() / slotMs) + 1) * slotMs
    },
    now,
    minMs: 1000,
    maxMs: slotMs,
    retryMs: slotMs,
    // A host that does not respond is in the status and the metrics already.
    failed: (error) => ports.logger.debug({ err: error }, 'the machine was not measured'),
  })
  return { start: loop.start, measure, stop: loop.stop }
}
