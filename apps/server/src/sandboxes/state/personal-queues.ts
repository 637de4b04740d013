import { awakeUsedUp } from '../../people/public.ts'
import type { AwakePlaceStore } from './awake-places.store.ts'
import { makeWakeQueue, type WakePlace, type WakeQueue } from './room.ts'

/** Whose sandbox it is, and how many of theirs can be awake. */
export type AwakeLimit = { userId: string; limit: number }

/**
 * A wake queue with one more queue for each person who has as many sandboxes awake as they may: only their own threads
 * wait there, so the threads of one person don’t wait for the limit of another. What has a place then waits for memory as before.
 */
export function withPersonalQueues(
  memory: WakeQueue,
  dependencies: {
    places: Pick<AwakePlaceStore, 'take'>
    /** Undefined: no limit. */
    limitOf(threadId: string): Promise<AwakeLimit | undefined>
    /** Pauses an idle sandbox of this person. Returns false if none can be paused. */
    pauseOneIdleOf(userId: string): Promise<boolean>
    onQueueChanged: (threadIds: readonly string[]) => void
    onWaiting: (threadId: string, place: WakePlace) => void
    now(): number
  },
): WakeQueue {
  const queues = new Map<string, WakeQueue>()
  const waited = new Set<string>()
  const limits = new Map<string, number>()
  const queueOf = ({ userId }: AwakeLimit) => {
    const known = queues.get(userId)
    if (known !== undefined) return known
    const queue = makeWakeQueue({
      refusalCode: awakeUsedUp.code,
      countAwake: async () => limits.get(userId) ?? 0,
      onQueueChanged: dependencies.onQueueChanged,
      onWaiting: (threadId, place) => {
        waited.add(threadId)
        dependencies.onWaiting(threadId, { ...place, reason: 'limit' })
      },
    })
    queues.set(userId, queue)
    return queue
  }
  const placeIn = (threadId: string): WakePlace | undefined => {
    for (const queue of queues.values()) {
      const place = queue.positionOf(threadId)
      if (place !== undefined) return { ...place, reason: 'limit' }
    }
    return undefined
  }
  return {
    enter: async (threadId, order, wait) => {
      const person = await dependencies.limitOf(threadId)
      if (person === undefined) return await memory.enter(threadId, order, wait)
      const { userId } = person
      limits.set(userId, person.limit)
      const takePlace = async () => {
        // Read again at each attempt: it can be raised while the thread waits.
        const present = await dependencies.limitOf(threadId)
        if (present === undefined) return
        const { limit } = present
        const isTaken = await dependencies.places.take({ threadId, userId, limit, now: dependencies.now() })
        if (!isTaken) throw awakeUsedUp({ limit })
      }
      const own = {
        signal: wait.signal,
        // Can become true while it waits.
        get mayWait() {
          return wait.mayWait
        },
        pauseOneIdle: () => dependencies.pauseOneIdleOf(userId),
      }
      try {
        await queueOf(person).enter(threadId, takePlace, own)
        return await memory.enter(threadId, order, wait)
      } finally {
        waited.delete(threadId)
      }
    },
    positionOf: (threadId) => memory.positionOf(threadId) ?? placeIn(threadId),
    length: () => [memory, ...queues.values()].reduce((sum, queue) => sum + queue.length(), 0),
    hasWaited: (threadId) => waited.has(threadId) || memory.hasWaited(threadId),
    changed: () => {
      memory.changed()
      for (const queue of queues.values()) queue.changed()
    },
  }
}
