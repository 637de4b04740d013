import { isThreadboxError } from '@threadbox/errors'
import type { RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { CleanedSandbox, ForkedSandbox, PreservedMemory, PreservedSandbox } from '@threadbox/protocol/host'
import { sealText } from '@threadbox/protocol/sealing'
import { type HostClient, hostnameOf, limitsOf, type Sandbox } from '../../sandboxes/public.ts'

export type CaptureDependencies = {
  host: Pick<HostClient, 'fork' | 'pause' | 'demote' | 'stop' | 'clean' | 'preserve' | 'get' | 'info'>
  hashKeyOf: (sandboxId: string) => string
  budgets: () => Promise<RescueRequest>
  /** Secret texts that this installation stores. */
  storedSecrets: () => Promise<string[]>
}

/** A stopped copy of a sandbox. `rescue`: what was saved from its memory, null when it had no memory. */
export type CapturedSandbox = {
  rescue: RescueReport | null
  memoryProblem: string
  cleaned: CleanedSandbox
  diskBytes: number
  /** Whether its memory was kept; null: keeping it was not requested. */
  memory: PreservedMemory | null
}

type Copy = { sandboxId: string; bootId: string; hashKey: string; made: ForkedSandbox }

/**
 * Copies a sandbox without assigning the copy to a thread: as a fork, so that the source keeps running unharmed, and
 * without a network. The caller deletes what is left when this or `finishCapture` throws.
 */
export async function copySandbox(
  { host, hashKeyOf }: CaptureDependencies,
  order: { source: Sandbox; sandboxId: string; bootId: string },
): Promise<Copy> {
  const { source, sandboxId, bootId } = order
  const hashKey = hashKeyOf(sandboxId)
  const made = await host.fork(sandboxId, {
    source: { sandboxId: source.id, snapshotId: null },
    bootId,
    hostname: hostnameOf(sandboxId),
    limits: limitsOf(source),
    egress: { kind: 'none' },
    hashKey,
  })
  return { sandboxId, bootId, hashKey, made }
}

/**
 * Removes the secrets and stops the copy once its guest has saved what is in its memory. If `includesMemory`, the
 * memory is kept instead, unless it cannot be saved or contains a secret.
 */
export async function finishCapture(
  dependencies: CaptureDependencies,
  { copy, includesMemory }: { copy: Copy; includesMemory: boolean },
): Promise<CapturedSandbox> {
  const { host } = dependencies
  const { sandboxId, made } = copy
  const preserved = includesMemory ? await preserve(dependencies, copy) : null
  const diskBytes = async () => (await host.get(sandboxId, { usage: true }))?.diskUsedBytes ?? 0
  if (preserved?.cleaned !== undefined) {
    return { ...preserved, memoryProblem: '', diskBytes: await diskBytes() }
  }
  const kept =
    made.from === 'memory' ? await shutDownCopy(dependencies, copy) : { rescue: null, memoryProblem: made.problem }
  const cleaned = await host.clean(sandboxId, { sealedSecrets: await sealStoredSecrets(dependencies) })
  return { ...kept, cleaned, diskBytes: await diskBytes(), memory: preserved?.memory ?? null }
}

/**
 * Without `cleaned`: nothing was done, for the returned reason, and the caller must save the variables in memory to
 * disk.
 */
async function preserve(
  dependencies: CaptureDependencies,
  copy: Copy,
): Promise<PreservedSandbox | { memory: PreservedMemory; cleaned?: undefined }> {
  const { sandboxId, bootId, hashKey, made } = copy
  const unkept = { kept: false as const, traces: [] }
  if (made.from === 'disk') return { memory: { ...unkept, reason: 'none', detail: made.problem } }
  try {
    const sealedSecrets = await sealStoredSecrets(dependencies)
    const budgets = { ...(await dependencies.budgets()), withoutInputs: true }
    return await dependencies.host.preserve(sandboxId, { bootId, hashKey, sealedSecrets, budgets })
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    return { memory: { ...unkept, reason: 'not-saved', detail: error.message } }
  }
}

/** For the programs that search a copy; the host daemon passes it on unreadable. */
export async function sealStoredSecrets({
  host,
  storedSecrets,
}: Pick<CaptureDependencies, 'host' | 'storedSecrets'>): Promise<string> {
  const [{ sealingKey }, secrets] = await Promise.all([host.info(), storedSecrets()])
  return await sealText(JSON.stringify(secrets), sealingKey)
}

/** What cannot be saved from memory is missing in the copy; its files are complete either way. */
async function shutDownCopy(
  { host, budgets }: CaptureDependencies,
  boot: Omit<Copy, 'made'>,
): Promise<Pick<CapturedSandbox, 'rescue' | 'memoryProblem'>> {
  const { sandboxId, bootId, hashKey } = boot
  try {
    await host.pause(sandboxId, { bootId, hashKey })
    const demoted = await host.demote(sandboxId, { bootId, budgets: { ...(await budgets()), withoutInputs: true } })
    return { rescue: demoted.rescue, memoryProblem: demoted.problem }
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    const now = await host.get(sandboxId)
    if (now?.bootId === bootId) await host.stop(sandboxId, { bootId })
    return { rescue: null, memoryProblem: error.message }
  }
}
