import { writerOf } from '../record/turn-history.ts'
import { type BeginDependencies, beginTurn, type NewMessage, userEntry } from './begin-turn.ts'
import type { TurnDependencies } from './turn-dependencies.ts'
import type { TurnEngine } from './turn-engine.ts'
import { queueFull } from './turns.errors.ts'

export type Accepted = { entryId: string; turnId: string }

/** Turns messages into turns, immediately or after the turns before them. Call its methods under the thread's lock. */
export type Intake = {
  newMessage(threadId: string, text: string, authorId: string | null): NewMessage
  begin(message: NewMessage, more?: Omit<Parameters<typeof beginTurn>[1], 'message'>): Promise<Accepted>
  beginOrQueue(message: NewMessage, key: string): Promise<Accepted>
}

const maxQueued = 50

export function makeIntake(
  dependencies: BeginDependencies & Pick<TurnDependencies, 'queue'>,
  engine: Pick<TurnEngine, 'start'>,
): Intake {
  const { store, queue, system } = dependencies
  const begin: Intake['begin'] = async (message, more = {}) => {
    const begun = await beginTurn(dependencies, { message, startsAtOnce: true, ...more })
    if (begun !== undefined) engine.start({ id: message.turnId, threadId: message.threadId }, begun)
    return { entryId: message.entryId, turnId: message.turnId }
  }
  return {
    begin,
    newMessage: (threadId, text, authorId) => {
      const ids = { entryId: system.newId('entry'), turnId: system.newId('turn') }
      return { threadId, ...ids, text, attachments: [], note: null, noteCodes: [], isUnattended: false, authorId }
    },
    beginOrQueue: async (message, key) => {
      const { threadId, entryId, turnId } = message
      const waiting = await queue.list(threadId)
      const isBusy = (await store.runningTurn(threadId)) !== undefined
      const keyRow = { threadId, key, entryId, turnId }
      if (!isBusy && !waiting.some((queued) => queued.status === 'queued')) {
        return await begin(message, { alongside: (writer) => queue.addKey(keyRow, writer) })
      }
      if (waiting.length >= maxQueued) throw queueFull({ limit: maxQueued })
      const position = (waiting.at(-1)?.position ?? 0) + 1
      const entry = userEntry(message, { now: system.now(), status: 'queued' })
      await dependencies.log.append(threadId, [{ type: 'entry-added', entry }], async (transaction) => {
        const writer = writerOf(transaction)
        await queue.add({ ...message, position, createdAt: system.now(), status: 'queued' }, writer)
        await queue.addKey(keyRow, writer)
      })
      return { entryId, turnId }
    },
  }
}
