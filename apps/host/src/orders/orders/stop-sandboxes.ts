import { pLimit } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { ShutdownOutcome } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Allocations } from '../../boots/allocations/allocations.ts'
import type { Boots } from '../../boots/boots/boots.ts'
import type { Spares } from '../../boots/spares/spares.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { reasonOf } from '../../memory/memory/memory-steps.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type StopPorts = {
  disks: Pick<DiskStore, 'syncDisk'>
  running: Pick<Boots, 'stop'>
  paused: PausedBoots
}

export type ShutDownPorts = StopPorts & {
  context: OrderContext
  sandboxes: SandboxesStore
  boots: BootsStore
  spares: Pick<Spares, 'close'>
  allocations: Pick<Allocations, 'close'>
  logger: Logger
}

type SandboxWithBoot = { sandbox: StoredSandbox; boot: StoredBoot }

export async function stopSandbox(ports: StopPorts, { sandbox, boot }: SandboxWithBoot): Promise<void> {
  if (isBootAsleep(boot)) return await ports.paused.drop({ sandbox, boot, detail: 'Stopped on request while paused.' })
  await ports.disks.syncDisk(sandbox.placeId)
  await ports.running.stop(boot)
  // What the guest wrote between the first sync and its end.
  await ports.disks.syncDisk(sandbox.placeId)
}

/**
 * A machine that shuts down gives about a minute. Sandboxes that are not being paused by then are stopped, which is
 * quick.
 */
const pausingForMs = 40_000
/** Saving uses processor and disk: more at the same time only wait for each other. */
const maxPauses = 3

/**
 * Nothing runs afterwards: with `keepsMemory`, what can be paused is, and paused sandboxes keep their images. Each
 * under its lock: a start in progress is awaited, and what it started is paused or stopped.
 */
export async function shutDownAll(
  ports: ShutDownPorts,
  { keepsMemory }: { keepsMemory: boolean },
): Promise<ShutdownOutcome> {
  const { sandboxes, context } = ports
  context.beginShutdown()
  const { lock } = context
  const outcome = { stopped: [] as string[], paused: [] as string[], failed: [] as ShutdownOutcome['failed'] }
  const noted = (sandboxId: string | null, work: Promise<void>) =>
    work.catch((error: unknown) => void outcome.failed.push({ sandboxId, reason: reasonOf(error) }))
  const limitPauses = pLimit(maxPauses)
  const startedAt = performance.now()
  const mayPause = () => keepsMemory && performance.now() - startedAt < pausingForMs
  const endOne = async (sandboxId: string) => {
    const pause = (found: SandboxWithBoot) => limitPauses(async () => mayPause() && (await keepMemory(ports, found)))
    const how = await shutDownOne(ports, { sandboxId, keepsMemory, pause })
    if (how !== 'nothing') outcome.stopped.push(sandboxId)
    if (how === 'paused') outcome.paused.push(sandboxId)
  }
  const all = (await sandboxes.list()).map(({ sandboxId }) =>
    noted(
      sandboxId,
      lock(sandboxId, () => endOne(sandboxId)),
    ),
  )
  await Promise.all([...all, noted(null, ports.spares.close()), noted(null, ports.allocations.close())])
  await ports.paused.settled()
  return outcome
}

async function shutDownOne(
  ports: ShutDownPorts,
  options: { sandboxId: string; keepsMemory: boolean; pause: (found: SandboxWithBoot) => Promise<boolean> },
): Promise<'nothing' | 'paused' | 'stopped'> {
  const { sandboxId, keepsMemory, pause } = options
  const sandbox = await ports.sandboxes.find(sandboxId)
  const boot = await ports.boots.current(sandboxId)
  if (sandbox === undefined || boot === undefined) return 'nothing'
  if (keepsMemory && isBootAsleep(boot)) {
    await ports.paused.dropFrozen(sandboxId)
    return 'nothing'
  }
  if (await pause({ sandbox, boot })) return 'paused'
  const current = await ports.boots.current(sandboxId)
  if (current !== undefined) await stopSandbox(ports, { sandbox, boot: current })
  return 'stopped'
}

/** False: its memory cannot be kept, for a reason that is in the log. */
async function keepMemory(
  { paused, logger }: Pick<ShutDownPorts, 'paused' | 'logger'>,
  found: SandboxWithBoot,
): Promise<boolean> {
  try {
    await paused.pause({ ...found, hashKey: undefined })
    await paused.dropFrozen(found.sandbox.sandboxId)
    return true
  } catch (error) {
    logger.warn({ err: error, sandboxId: found.sandbox.sandboxId }, 'a sandbox could not be paused and is stopped')
    return false
  }
}
