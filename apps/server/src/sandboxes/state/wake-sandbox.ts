import type { SandboxLimits, SandboxState } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import { threadNotFound } from '../../threads/public.ts'
import { hostUnreachable } from '../host/host.errors.ts'
import { makeRow } from './make-row.ts'
import type { Wait } from './room.ts'
import { endedEvent, type Sandbox } from './sandbox.logic.ts'
import { wantedLimits } from './sandbox-rows.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import { startBoot } from './start-boot.ts'
import { requestWake } from './wake-boot.ts'
import type { WakeRequest, WakingDependencies } from './waking-dependencies.ts'

/** States in which nothing runs and a start is allowed. */
const startable: readonly SandboxState[] = ['fresh', 'cold', 'error']
/** How often a start tries again after the row changed in between. Each change means progress elsewhere. */
const maxAttempts = 12

/** Takes the sandbox through its states until it is active and the host reports exactly this boot as ready. */
export async function wakeSandbox(dependencies: WakingDependencies, threadId: string, wait: Wait): Promise<Sandbox> {
  const { store, host, transition, system } = dependencies
  if (!(await dependencies.mayStart(threadId))) throw threadNotFound({})
  const request: WakeRequest = { wait, startedAt: system.now() }
  let row = (await store.find(threadId)) ?? (await makeRow(dependencies, threadId))
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (row.state === 'active') {
      const actual = await host.get(row.id)
      if (actual?.actual === 'ready' && actual.bootId === row.boot_id) return row
      if (actual?.actual === 'paused' && actual.bootId === row.boot_id) await dependencies.pausing.adopt(row)
      else await transition(row, endedEvent(row, actual))
    } else if (row.state === 'pausing') {
      // A failed pause leaves the sandbox active or cold, and the next round starts from there.
      await dependencies.pausing.cancel(row).catch((error: unknown) => throwUnreachable(error))
    } else if (row.state === 'paused') {
      await dependencies.demotions.settled(row.id)
      await transition(row, { type: 'wake-requested' })
    } else if (row.state === 'waking') {
      const woken = await requestWake(dependencies, row, request)
      if (woken !== undefined) return woken
    } else if (startable.includes(row.state)) {
      const bootId = system.newId('boot')
      await transition(row, { type: 'start-requested', bootId, limits: await presentLimits(dependencies, row) })
    } else if (row.state === 'starting') {
      // Started before a crash: if that boot has ended by now, the next round starts a new one.
      const started = await startBoot(dependencies, row, request).catch((error: unknown) => {
        if (!isThreadboxError(error) || error.kind !== 'conflict') throw error
      })
      if (started !== undefined) return started
    } else throw sandboxNotReady({ state: row.state })
    const again = await store.find(threadId)
    if (again === undefined) throw threadNotFound({})
    row = again
  }
  throw sandboxNotReady({ state: row.state })
}

function throwUnreachable(error: unknown): void {
  if (!isThreadboxError(error) || error.code === hostUnreachable.code) throw error
}

/** A start applies the current limits: raising them and restarting is the fix for running out. */
async function presentLimits(dependencies: WakingDependencies, row: Sandbox): Promise<SandboxLimits> {
  const defaults = await dependencies.defaults([row.thread_id])
  return wantedLimits(row, defaults(row.thread_id).limits)
}
