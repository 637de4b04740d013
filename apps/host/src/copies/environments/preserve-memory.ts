import type { DiskStore } from '@threadbox/disk-store'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { PreservedMemory, PreservedSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import { runProgram } from '../../machine/programs/run-program.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { Sealing } from '../../machine/state/sealing-key.ts'
import { reasonOf, type SandboxBoot } from '../../memory/memory/memory-steps.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import { makeStopwatch, type Stopwatch } from '../../memory/memory/stopwatch.ts'
import { cleanDisk, findUnwantedFiles, type RemovedTexts } from './clean-disk.ts'
import { memoryNotSearched } from './environments.errors.ts'
import type { SearcherAnswer, SearcherOrder } from './search-memory/main.ts'

type PreservePorts = {
  disks: DiskStore
  sealing: Sealing
  boots: BootsStore
  paused: PausedBoots
  gateway: Pick<GatewayApi, 'forget'>
  logger: Logger
}

type PreserveOrder = SandboxBoot & {
  hashKey: string | undefined
  budgets: RescueRequest
  sealedSecrets: string
  redact: { path: string; rule: string }[]
}

type Unkept = Extract<PreservedMemory, { kept: false }>

/** Ending shells and overwriting free memory takes a second; a kernel can be slow to respond. */
const forgetMs = 90_000

/**
 * Makes disk and memory of a copy safe to hand to others. The disk is cleaned while the copy is paused, because nothing
 * can change it under a running kernel. Then the memory is restored over it once, alone, and saved again, so that the
 * two fit each other and what the sandbox's kernel knew of the removed files is gone. The saved image is searched for
 * what was removed. Whatever rules out the memory, the disk is whole and has what was saved of it.
 */
export async function preserveMemory(ports: PreservePorts, order: PreserveOrder): Promise<PreservedSandbox> {
  const { sandbox, boot, sealedSecrets, redact } = order
  const { paused } = ports
  const watch = makeStopwatch()
  let rescue: RescueReport | null = null
  if (!isBootAsleep(boot)) {
    rescue = await watch.time('forgetMs', forget(ports, { ...order, rescue: order.budgets }))
    await watch.time('pauseMs', paused.pause(order))
  }
  await paused.dropFrozen(sandbox.sandboxId)
  // Otherwise the removed parts would still exist in the state of the pause.
  await paused.forgetPauses(sandbox)
  const cleaning = cleanDisk(ports, { sandbox, sealedSecrets, redact, mode: 'collects' })
  const { cleaned, removed } = await watch.time('cleanMs', cleaning)
  await paused.acceptDisk(sandbox)
  const memory = await joinWithCleanedDisk(ports, { order, removed, watch }).catch((error: unknown) => {
    ports.logger.warn(
      { err: error, sandboxId: sandbox.sandboxId },
      'the memory of a copy could not be restored over its disk',
    )
    return unkept('not-restorable', reasonOf(error))
  })
  const durationMs = watch.totalMs()
  ports.logger.info(
    { sandboxId: sandbox.sandboxId, memory, ...watch.parts(), durationMs },
    'memory of a copy preserved',
  )
  if (memory.kept) return { cleaned, rescue, memory }
  await dropMemoryOfCopy(ports, order)
  if (memory.reason !== 'secret-written') return { cleaned, rescue, memory }
  return { cleaned: (await cleanDisk(ports, { sandbox, sealedSecrets, redact })).cleaned, rescue, memory }
}

async function joinWithCleanedDisk(
  ports: PreservePorts,
  { order, removed, watch }: { order: PreserveOrder; removed: RemovedTexts; watch: Stopwatch },
): Promise<PreservedMemory> {
  const { sandbox, sealedSecrets, redact } = order
  const { paused } = ports
  if (removed.hasMore) return unkept('too-much-removed', '')
  await watch.time('wakeMs', paused.wake(order))
  const boot = (await ports.boots.current(sandbox.sandboxId)) ?? order.boot
  // What the handshake restored, and what services have printed since.
  await watch.time('forgetAgainMs', forget(ports, { ...order, boot, rescue: null }))
  await watch.time('pauseAgainMs', paused.pause({ ...order, boot }))
  await paused.dropFrozen(sandbox.sandboxId)
  const image = await paused.imageOf(sandbox)
  const directory = await paused.pausedDiskPath(sandbox)
  if (image === undefined || directory === undefined) return unkept('not-restorable', 'It was not saved.')
  const left = await watch.time('lookMs', findUnwantedFiles(ports, { sandbox, sealedSecrets, redact, directory }))
  // A log can have been restarted; it contains nothing of the conversation.
  const written = [...left.removed.filter(({ kind }) => kind !== 'output'), ...left.redacted].map(({ path }) => path)
  if (written.length > 0) return unkept('secret-written', written.slice(0, 3).join(', '))
  const wanted = { sealing: ports.sealing, sealedSecrets, sealedTexts: removed.sealedTexts }
  const found = await watch.time('searchMs', searchMemory(image.directory, wanted))
  const traces = Object.entries(found).map(([kind, count]) => ({ kind: kind as keyof typeof found, count }))
  if (traces.length > 0) return { ...unkept('secret-found', ''), traces }
  return { kept: true, bytes: image.bytes }
}

async function searchMemory(directory: string, order: SearcherOrder): Promise<SearcherAnswer['found']> {
  const failed = (problem: string) => memoryNotSearched({ problem })
  return ((await runProgram('search-memory', { directory, order, failed })) as SearcherAnswer).found
}

async function forget(
  { gateway }: PreservePorts,
  { sandbox, boot, rescue }: SandboxBoot & { rescue: RescueRequest | null },
): Promise<RescueReport | null> {
  const guest = { address: sandbox.address, accessToken: boot.accessToken }
  const signal = AbortSignal.timeout(forgetMs + (rescue?.timeBudgetMs ?? 0))
  return await gateway.forget({ guest, rescue }, signal)
}

/** The disk stays, without the removed parts. */
async function dropMemoryOfCopy({ boots, paused }: PreservePorts, { sandbox }: PreserveOrder): Promise<void> {
  const boot = await boots.current(sandbox.sandboxId)
  if (boot !== undefined && !isBootAsleep(boot)) await paused.pause({ sandbox, boot, hashKey: undefined })
  const asleep = await boots.current(sandbox.sandboxId)
  if (asleep !== undefined) await paused.drop({ sandbox, boot: asleep, detail: 'Its memory is not kept.' })
  await paused.forgetPauses(sandbox)
}

function unkept(reason: Unkept['reason'], detail: string): Unkept {
  return { kept: false, reason, detail, traces: [] }
}
