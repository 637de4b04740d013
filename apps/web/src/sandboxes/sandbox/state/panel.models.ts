import type { LifecyclePolicy, SandboxDetail, SandboxView } from '@threadbox/sdk'
import { causePhrase } from './causes.models.ts'
import { waitingPhrase } from './chip.models.ts'
import type { Phrase } from './phrase.ts'

/** Every reason why it is awake, in full words. Empty when nothing keeps it awake or it is not awake. */
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

/** Why it sleeps or failed: its own word for it, else the newest line of the log that tells. */
export function asleepPhrase(sandbox: SandboxView, log: SandboxDetail['log'] = []): Phrase | undefined {
  const own = causePhrase(sandbox.detail)
  if (own !== undefined) return own
  if (sandbox.state !== 'paused') return undefined
  const line = log.find(({ code }) => code.startsWith('paused.'))
  return line === undefined ? undefined : causePhrase(line)
}

/**
 * What happens next, and when: the first sentence is the event, what follows says what that means for what is kept.
 * Only what is known is promised; a time that has passed is not mentioned as one to come.
 */
export function nextPhrases(sandbox: SandboxView, context: { policy?: LifecyclePolicy; now: number }): Phrase[] {
  const waiting = waitingPhrase(sandbox)
  if (waiting !== undefined) return [waiting, { key: 'next-waiting' }]
  switch (sandbox.state) {
    case 'active':
      return nextOfAwake(sandbox, context)
    case 'paused':
    case 'cold':
      return nextOfAsleep(sandbox, context.now)
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

function memoryPhrase(sandbox: SandboxView, now: number): Phrase[] {
  const { asleep } = sandbox
  if (asleep === null || asleep === undefined || asleep.memory === 'none') return [{ key: 'files-kept' }]
  if (asleep.memoryUntil === null) return [{ key: 'memory-kept' }]
  return asleep.memoryUntil > now
    ? [{ key: 'memory-kept-until', values: { at: { deadline: asleep.memoryUntil } } }]
    : [{ key: 'memory-kept-while-room' }]
}
