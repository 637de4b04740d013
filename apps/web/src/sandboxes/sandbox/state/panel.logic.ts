import type { LifecyclePolicy, SandboxDetail, SandboxView } from '@threadbox/sdk'
import { causePhrase } from './causes.logic.ts'
import { restoredPercent, waitingPhrase } from './chip.logic.ts'
import type { Phrase } from './phrase.ts'

/** Every reason why the sandbox is awake, as sentences. Empty if nothing keeps it awake or it isn’t awake. */
export function awakePhrases(sandbox: SandboxView): Phrase[] {
  return (sandbox.awake?.reasons ?? []).map(reasonPhrase)
}

function reasonPhrase({ reason, detail }: NonNullable<SandboxView['awake']>['reasons'][number]): Phrase {
  switch (reason) {
    case 'turn':
      return detail === 'direct' ? { key: 'why-command' } : { key: 'why-turn' }
    case 'cpu':
      return detail === '' ? { key: 'why-cpu-plain' } : { key: 'why-cpu', values: { name: detail } }
    case 'terminal':
      return { key: 'why-terminal' }
    case 'request':
      return detail === '' ? { key: 'why-request-plain' } : { key: 'why-request', values: { port: detail } }
    case 'hold':
      return { key: 'why-hold' }
  }
}

/** Why the sandbox sleeps or failed: its own detail, else the newest log line with a reason. */
export function asleepPhrase(sandbox: SandboxView, log: SandboxDetail['log'] = []): Phrase | undefined {
  const own = causePhrase(sandbox.detail)
  if (own !== undefined) return own
  if (sandbox.state !== 'paused') return undefined
  const line = log.find(({ code }) => code.startsWith('paused.'))
  return line === undefined ? undefined : causePhrase(line)
}

/**
 * What happens next, and when: first the event, then what it means for the data that is kept. Only known facts are
 * promised; a time that has passed isn’t presented as upcoming.
 */
export function nextPhrases(sandbox: SandboxView, context: { policy?: LifecyclePolicy; now: number }): Phrase[] {
  const waiting = waitingPhrase(sandbox)
  if (waiting !== undefined)
    return [waiting, { key: sandbox.waiting?.reason === 'limit' ? 'next-waiting-limit' : 'next-waiting' }]
  switch (sandbox.state) {
    case 'active':
      return nextOfAwake(sandbox, context)
    case 'paused':
    case 'cold':
      return nextOfAsleep(sandbox, context.now)
    case 'archived':
      return nextOfArchived(sandbox)
    default:
      return [{ key: `next-${sandbox.state}` }]
  }
}

function nextOfAwake(sandbox: SandboxView, context: { policy?: LifecyclePolicy; now: number }): Phrase[] {
  const { awake } = sandbox
  if (awake === null || awake === undefined) return [{ key: 'next-active' }]
  const kept: Phrase = { key: 'memory-kept-on-pause' }
  const latest: Phrase[] =
    awake.latestPauseAt === null
      ? []
      : [{ key: 'next-latest-pause', values: { at: { deadline: awake.latestPauseAt } } }]
  if (awake.pauseAt !== null) return [{ key: 'next-pause', values: { at: { deadline: awake.pauseAt } } }, kept]
  if (awake.reasons.some(({ reason }) => reason === 'turn')) return [{ key: 'next-turn' }, ...latest]
  if (awake.heldUntil !== null && awake.heldUntil > context.now) {
    return [{ key: 'next-hold', values: { until: { deadline: awake.heldUntil } } }, ...latest]
  }
  const idle = context.policy?.idlePauseMinutes
  const work: Phrase =
    idle === undefined
      ? { key: 'next-work-plain' }
      : { key: 'next-work', values: { time: { duration: idle * 60_000 } } }
  return [work, ...latest]
}

function nextOfAsleep(sandbox: SandboxView, now: number): Phrase[] {
  const { asleep } = sandbox
  const wakes: Phrase = sandbox.state === 'cold' ? { key: 'message-starts' } : { key: 'message-wakes' }
  if (asleep === null || asleep === undefined) return [{ key: `next-${sandbox.state === 'cold' ? 'cold' : 'paused'}` }]
  const memory = memoryPhrase(sandbox, now)
  const removal: Phrase[] =
    asleep.removedAt === null ? [] : [{ key: 'next-removal', values: { at: { deadline: asleep.removedAt } } }]
  return [...memory, ...removal, wakes]
}

function nextOfArchived(sandbox: SandboxView): Phrase[] {
  const percent = restoredPercent(sandbox)
  if (percent !== undefined) return [{ key: 'next-restoring', values: { percent } }]
  const removedAt = sandbox.asleep?.removedAt ?? null
  const removal: Phrase[] = removedAt === null ? [] : [{ key: 'next-removal', values: { at: { deadline: removedAt } } }]
  return [{ key: 'next-archived' }, ...removal]
}

function memoryPhrase(sandbox: SandboxView, now: number): Phrase[] {
  const { asleep } = sandbox
  if (asleep === null || asleep === undefined || asleep.memory === 'none') return [{ key: 'files-kept' }]
  if (asleep.memoryUntil === null) return [{ key: 'memory-kept' }]
  return asleep.memoryUntil > now
    ? [{ key: 'memory-kept-until', values: { at: { deadline: asleep.memoryUntil } } }]
    : [{ key: 'memory-kept-while-room' }]
}
