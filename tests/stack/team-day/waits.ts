import type { Thread, UserEvent } from '@threadbox/sdk'
import type { Colleague } from './colleagues.ts'

/** Sandboxes that waited for a place, and those that got theirs before one of the same person that waited longer. */
export type FollowedWaits = { count: number; outOfOrder: string[] }

/** Follows what each person sees of waiting sandboxes. */
export function followWaits(colleagues: readonly Colleague[]): AsyncDisposable & { end(): Promise<FollowedWaits> } {
  const ended = new AbortController()
  const waits: FollowedWaits = { count: 0, outOfOrder: [] }
  const streams = colleagues.map(({ client, userId }) => {
    const queue: string[] = []
    const onEvent = (event: UserEvent) => {
      if (event.type !== 'thread-updated' || event.thread.creatorId !== userId) return
      noteWait(queue, { thread: event.thread, waits })
    }
    return client.streamUser({ signal: ended.signal, onEvent }).catch((error: unknown) => {
      if (!ended.signal.aborted) throw error
    })
  })
  const end = async () => {
    ended.abort()
    await Promise.all(streams)
    return waits
  }
  return { end, [Symbol.asyncDispose]: async () => void (await end()) }
}

function noteWait(queue: string[], { thread, waits }: { thread: Thread; waits: FollowedWaits }): void {
  const at = queue.indexOf(thread.id)
  const isWaiting = thread.sandbox.waiting?.reason === 'limit'
  if (isWaiting && at < 0) {
    waits.count += 1
    queue.push(thread.id)
  }
  if (isWaiting || at < 0) return
  if (at > 0) waits.outOfOrder.push(thread.id)
  queue.splice(at, 1)
}
