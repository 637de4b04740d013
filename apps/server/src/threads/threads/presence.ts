import type { PersonPresent } from '@threadbox/protocol/public'
import type { UserHub } from '../../people/public.ts'

/** A page reports every ten seconds; this long after its last report a person is gone. */
export const presentMs = 25_000
/** Without another key for this long, a person has stopped typing. */
export const typingMs = 6000

/** Who has a thread open, and who is typing in it. Kept in this process only: pages report again after a restart. */
export type Presence = {
  /** Notes what a person does in a thread, tells the others, and returns these. */
  report(threadId: string, report: { userId: string; isTyping: boolean; isHere: boolean }): Promise<PersonPresent[]>
}

type Seen = { at: number; typingAt: number | null }

export function makePresence(parts: {
  /** Who can see the thread. */
  readersOf(threadId: string): Promise<string[]>
  userHub: Pick<UserHub, 'publish'>
  now: () => number
}): Presence {
  const threads = new Map<string, Map<string, Seen>>()
  const peopleIn = (threadId: string): PersonPresent[] => {
    const now = parts.now()
    const seen = threads.get(threadId) ?? new Map<string, Seen>()
    for (const [userId, { at }] of seen) if (Math.abs(now - at) >= presentMs) seen.delete(userId)
    if (seen.size === 0) threads.delete(threadId)
    return [...seen].map(([userId, { typingAt }]) => ({
      userId,
      isTyping: typingAt !== null && Math.abs(now - typingAt) < typingMs,
    }))
  }
  return {
    report: async (threadId, { userId, isTyping, isHere }) => {
      const before = JSON.stringify(peopleIn(threadId))
      const seen = threads.get(threadId) ?? new Map<string, Seen>()
      const now = parts.now()
      if (isHere) seen.set(userId, { at: now, typingAt: isTyping ? now : null })
      else seen.delete(userId)
      threads.set(threadId, seen)
      const people = peopleIn(threadId)
      if (JSON.stringify(people) !== before) {
        for (const reader of await parts.readersOf(threadId)) {
          if (reader !== userId) parts.userHub.publish(reader, { type: 'presence-updated', threadId, people })
        }
      }
      return people.filter((person) => person.userId !== userId)
    },
  }
}
