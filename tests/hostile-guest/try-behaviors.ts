import { setTimeout as delay } from 'node:timers/promises'
import { gatewayPaths } from '@threadbox/protocol/host'
import { expect, vi } from 'vitest'
import { sandboxIdsOf, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { type Behavior, waited } from './behavior.ts'
import { controlPath, type Script, type ScriptUse } from './script.ts'
import { uses } from './uses.ts'

/** A thread whose sandbox has the hostile guest. */
export type HostileThread = {
  installation: TestInstallation
  thread: TestThread
  sandboxId: string
}

export type Tried = {
  name: string
  got: string
  ms: number
  /** Whether the guest got to misbehave. */
  applied: number
  isOk: boolean
}

/** What never ends is waited for only this long once the guest misbehaves. */
const shortMs = 300
/** What has to end without them. */
const longMs = 45_000
/** A turn that is stopped ends within this time, also if its guest confirms nothing. */
const stopMs = 15_000

/** Has the guest misbehave, does what a person does, and tells what they got. */
export async function tryBehavior(target: HostileThread, behavior: Behavior): Promise<Tried> {
  const { rules, connect, isFollowed: cuts = false } = behavior
  await order(target, { rules, cuts, ...(connect !== undefined && { connect }) })
  if (cuts) await untilApplied(target, AbortSignal.timeout(longMs))
  const startedAt = performance.now()
  const got = await resultOf(target, behavior)
  const ms = Math.round(performance.now() - startedAt)
  const applied = await appliedBy(target)
  if (behavior.isLast === true) await deleteThread(target)
  else await order(target, { rules: [], cuts })
  const isOk = behavior.gets.includes('any') || behavior.gets.includes(got)
  return { name: behavior.name, got, ms, applied, isOk }
}

async function resultOf(target: HostileThread, { use, gets }: Behavior): Promise<string> {
  const { installation, thread } = target
  const gaveUp = new AbortController()
  const ended = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const leave = async () => {
    if (gets.some((one) => endless.includes(one))) await untilApplied(target, ended.signal)
    else await delay(longMs, undefined, { signal: ended.signal })
    await delay(shortMs, undefined, { signal: ended.signal })
    gaveUp.abort(new Error(waited))
    if (!gets.includes(waited)) await delay(stopMs, undefined, { signal: ended.signal })
    resolve(waited)
  }
  leave().catch(() => undefined)
  const used = uses[use]({ installation, thread, signal: gaveUp.signal }).catch((error: unknown) => nameOf(error))
  return await Promise.race([used, late]).finally(() => ended.abort())
}

const endless: readonly string[] = [waited, 'stopped call.stopped']

async function untilApplied(target: HostileThread, signal: AbortSignal): Promise<void> {
  const until = performance.now() + longMs
  while (performance.now() < until && (await appliedBy(target)) === 0) await delay(50, undefined, { signal })
}

/** A thread can be deleted whatever its guest does. */
async function deleteThread({ installation, thread, sandboxId }: HostileThread): Promise<void> {
  await installation.client.threads.delete(thread.id)
  const isGone = async () => !(await sandboxIdsOf(installation)).includes(sandboxId)
  await vi.waitFor(async () => expect(await isGone()).toBe(true), { timeout: longMs, interval: 100 })
}

/** Deletes a thread whose guest no longer responds to anything. */
export async function deleteSilent(target: HostileThread): Promise<void> {
  await order(target, { rules: [{ requests: '', steps: [] }], cuts: true })
  await deleteThread(target)
}

function nameOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  return typeof code === 'string' ? code : String(message)
}

/** Changes what the guest does, whatever it does at the time. */
export async function order(
  { installation, sandboxId }: Pick<HostileThread, 'installation' | 'sandboxId'>,
  script: Script,
) {
  const answer = await installation.host.request('POST', gatewayPaths.guest(sandboxId) + controlPath, script)
  if (answer.status !== 200) throw new Error(`the hostile guest got no order: ${JSON.stringify(answer.body)}`)
}

async function appliedBy({ installation, sandboxId }: HostileThread): Promise<number> {
  const answer = await installation.host.request('GET', gatewayPaths.guest(sandboxId) + controlPath)
  return (answer.body as ScriptUse).applied?.reduce((sum, one) => sum + one, 0) ?? 0
}
