import type { SandboxLimits, SandboxState } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import { threadNotFound } from '../../threads/public.ts'
import { hostUnreachable } from '../host/host.errors.ts'
import { makeRow } from './make-row.ts'
import type { Wait } from './room.ts'
import { endedEvent, type Sandbox } from './sandbox.models.ts'
import { wantedLimits } from './sandbox-rows.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import { startBoot } from './start-boot.ts'
import { wakeBoot } from './wake-boot.ts'
import type { WakingDependencies, Wish } from './waking-dependencies.ts'

/** States in which nothing runs and a start is allowed. */
const startable: readonly SandboxState[] = ['fresh', 'cold', 'error']
/** How often a start looks again when somebody else changed the row in between; each time means progress elsewhere. */
const maxAttempts = 12

/** Takes the sandbox through its lifecycle until it is active and the host says that this very boot is ready. */
export async function bringAwake(dependencies: WakingDependencies, threadId: string, wait: Wait): Promise<Sandbox> {
  const { store, host, transition, system } = dependencies
  if (!(await dependencies.mayStart(threadId))) throw threadNotFound({})
  const wish: Wish = { wait, startedAt: system.now() }
  let row = (await store.find(threadId)) ?? (await makeRow(dependencies, threadId))
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (row.state === 'active') {
      const actual = await host.get(row.id)
      if (actual?.actual === 'ready' && actual.bootId === row.boot_id) return row
      if (actual?.actual === 'paused' && actual.bootId === row.boot_id) await dependencies.pausing.adopt(row)
      else await transition(row, endedEvent(row, actual))
    } else if (row.state === 'pausing') {
      // A pause that fails leaves the sandbox active or cold: either is a place to go on from.
      await dependencies.pausing.giveUp(row).catch((error: unknown) => throwUnreachable(error))
    } else if (row.state === 'paused') {
      await dependencies.demotions.settled(row.id)
      await transition(row, { type: 'wake-requested' })
    } else if (row.state === 'waking') {
      const woken = await wakeBoot(dependencies, row, wish)
      if (woken !== undefined) return woken
    } else if (startable.includes(row.state)) {
      const bootId = system.newId('boot')
      await transition(row, { type: 'start-requested', bootId, limits: await presentLimits(dependencies, row) })
    } else if (row.state === 'starting') {
      // Begun before a crash: that boot may be over by now, and then a new one is begun.
      const started = await startBoot(dependencies, row, wish).catch((error: unknown) => {
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

/** A start takes the limits as they are set now: raising them and starting again is the cure for running out. */
async function presentLimits(dependencies: WakingDependencies, row: Sandbox): Promise<SandboxLimits> {
  const defaults = await dependencies.defaults([row.thread_id])
  return wantedLimits(row, defaults(row.thread_id).limits)
}
