import type { ThreadChange } from '../../threads/public.ts'
import { writerOf } from '../record/turn-history.ts'
import { type BeginDependencies, beginTurn, userEntry } from './begin-turn.ts'
import type { QueuedMessage } from './queue.store.ts'
import type { TurnDependencies } from './turn-dependencies.ts'
import { messageNotFound, messageNotQueued, queueChanged } from './turns.errors.ts'

/** Messages that wait for a turn. Call its methods under the thread's lock. */
export type Queue = {
  /** Throws `message.not-queued`, `message.not-found`. */
  edit(threadId: string, entryId: string, text: string): Promise<void>
  remove(threadId: string, entryId: string): Promise<void>
  /** Throws `queue.changed` unless exactly the waiting messages are listed. */
  reorder(threadId: string, entryIds: readonly string[]): Promise<void>
  /** Holds waiting messages until a user resumes the queue. */
  hold(threadId: string): Promise<void>
  release(threadId: string): Promise<void>
  /** Creates turns from waiting messages until one of them runs. Returns that one. */
  deliver(threadId: string): Promise<string | undefined>
}

export function makeQueue(dependencies: BeginDependencies & Pick<TurnDependencies, 'queue' | 'logger'>): Queue {
  const { queue, log, store, system } = dependencies
  const find = async (threadId: string, entryId: string) => {
    const message = (await queue.list(threadId)).find((candidate) => candidate.entryId === entryId)
    if (message !== undefined) return message
    throw (await log.entry(threadId, entryId)) === undefined ? messageNotFound({}) : messageNotQueued({})
  }
  const changeAll = async (threadId: string, status: QueuedMessage['status']) => {
    const messages = (await queue.list(threadId)).filter((message) => message.status !== status)
    if (messages.length === 0) return
    const changes = messages.map((message): ThreadChange => {
      return { type: 'entry-updated', entry: userEntry(message, { now: message.createdAt, status }) }
    })
    await log.append(threadId, changes, async (transaction) => {
      for (const message of messages) await queue.change(message.entryId, { status }, writerOf(transaction))
    })
  }

  return {
    edit: async (threadId, entryId, text) => {
      const message = await find(threadId, entryId)
      const entry = userEntry({ ...message, text }, { now: message.createdAt, status: message.status })
      await log.append(threadId, [{ type: 'entry-updated', entry }], (transaction) =>
        queue.change(entryId, { text }, writerOf(transaction)),
      )
    },
    remove: async (threadId, entryId) => {
      await find(threadId, entryId)
      await log.append(threadId, [{ type: 'entry-removed', entryId }], (transaction) =>
        queue.remove(entryId, writerOf(transaction)),
      )
    },
    reorder: async (threadId, entryIds) => {
      const messages = await queue.list(threadId)
      const isSame = entryIds.length === messages.length && new Set(entryIds).size === messages.length
      const ordered = entryIds.flatMap((id) => messages.find((message) => message.entryId === id) ?? [])
      if (!isSame || ordered.length !== messages.length) throw queueChanged({})
      // Readers show the queue in the order of the conversation, so each message moves to the end in its new order.
      const changes = ordered.flatMap((message): ThreadChange[] => [
        { type: 'entry-removed', entryId: message.entryId },
        { type: 'entry-added', entry: userEntry(message, { now: message.createdAt, status: message.status }) },
      ])
      await log.append(threadId, changes, async (transaction) => {
        for (const [position, message] of ordered.entries()) {
          await queue.change(message.entryId, { position }, writerOf(transaction))
        }
      })
    },
    hold: (threadId) => changeAll(threadId, 'held'),
    release: (threadId) => changeAll(threadId, 'queued'),
    deliver: async (threadId) => {
      for (;;) {
        if ((await store.runningTurn(threadId)) !== undefined) return undefined
        const next = (await queue.list(threadId)).find((message) => message.status === 'queued')
        if (next === undefined) return undefined
        const begun = await beginTurn(dependencies, {
          message: { ...next, note: null, noteCodes: [] },
          // The message moves to where the response will follow it.
          before: [{ type: 'entry-removed', entryId: next.entryId }],
          alongside: (writer) => queue.remove(next.entryId, writer),
        })
        dependencies.logger.debug({ threadId, turnId: next.turnId, at: system.now() }, 'queued message delivered')
        if (begun !== undefined) return next.turnId
      }
    },
  }
}
