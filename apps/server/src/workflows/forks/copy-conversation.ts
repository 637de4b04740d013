import type { Entry } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { System } from '../../platform/system/system.ts'
import { type Attachments, outputKey, type ThreadChange, type ThreadLog, tailPrefix } from '../../threads/public.ts'
import { type TurnHistory, type TurnRecord, writerOf } from '../../turns/public.ts'

export type CopyDependencies = {
  log: ThreadLog
  history: TurnHistory
  attachments: Pick<Attachments, 'copy'>
  blobs: BlobStore
  system: System
}

/**
 * Copies turns into a thread that has none: the visible conversation, the engine’s records, and the bytes behind both.
 * Every ID is replaced consistently, because most IDs are unique in the installation. Bytes are copied first: until the
 * records exist nothing refers to them, and they are deleted with the thread.
 */
export async function copyConversation(
  dependencies: CopyDependencies,
  order: {
    fromThreadId: string
    toThreadId: string
    turns: readonly TurnRecord[]
    end: Entry
    /** If true, nothing that names another thread of the owner is copied. */
    isForOther: boolean
  },
): Promise<void> {
  const { log, history, blobs } = dependencies
  const { fromThreadId, toThreadId, turns, end } = order
  const turnIds = new Set(turns.map(({ id }) => id))
  const entries = (await log.entries(fromThreadId)).filter(
    (entry) => turnIds.has(entry.turnId) && !(order.isForOther && namesThread(entry)),
  )
  const compaction = await history.lastCompaction(fromThreadId)
  const ids = newIds(dependencies, { fromThreadId, toThreadId, turns, entries })
  const copyOf = <Value>(value: Value) => withIds(value, ids)
  const copied = (entry: Entry) => (order.isForOther ? withoutAuthor(withoutUndo(entry)) : withoutUndo(entry))

  for (const { id } of turns.flatMap((turn) => turn.attachments)) {
    await dependencies.attachments.copy({ fromThreadId, toThreadId, id, newId: copyOf(id) })
  }
  for (const { id } of turns.flatMap((turn) => turn.steps.flatMap((step) => step.calls))) {
    for (const kind of ['outputs', 'results']) {
      await blobs.copyAll(`${kind}/${fromThreadId}/${id}`, `${kind}/${toThreadId}/${copyOf(id)}`)
    }
    const tailOf = (threadId: string, callId: string) => tailPrefix(outputKey({ threadId, id: callId }))
    await blobs.copyAll(tailOf(fromThreadId, id), tailOf(toThreadId, copyOf(id)))
  }
  const views = await Promise.all(turns.map(({ id }) => log.turn(fromThreadId, id)))
  const changes: ThreadChange[] = [
    ...entries.map((entry): ThreadChange => ({ type: 'entry-added', entry: copied(copyOf(entry)) })),
    ...views.flatMap((turn): ThreadChange[] => (turn ? [{ type: 'turn-updated', turn: copyOf(turn) }] : [])),
    // Names the source thread, whose IDs must stay unchanged.
    { type: 'entry-added', entry: { ...end, turnId: copyOf(end.turnId) } },
  ]
  await log.append(toThreadId, changes, async (transaction) => {
    const writer = writerOf(transaction)
    for (const turn of turns) {
      const { steps, ...row } = copyOf(turn)
      await history.addTurn(order.isForOther ? { ...row, authorId: null } : row, writer)
      for (const { calls, ...step } of steps) {
        await history.addStep(step, toThreadId, writer)
        for (const call of calls) await history.addCall(call, writer)
      }
    }
    const last = turns.at(-1)
    if (compaction === undefined || last === undefined || compaction.turnOrdinal > last.ordinal) return
    const id = dependencies.system.newId('entry')
    await history.addCompaction({ ...copyOf(compaction), id }, writer)
  })
  await log.prune(toThreadId)
}

function newIds(
  { system }: CopyDependencies,
  from: { fromThreadId: string; toThreadId: string; turns: readonly TurnRecord[]; entries: readonly Entry[] },
): Map<string, string> {
  const { turns, entries } = from
  const ids = new Map([[from.fromThreadId, from.toThreadId]])
  const add = (id: string, kind: 'turn' | 'step' | 'call' | 'entry' | 'attachment') => {
    if (!ids.has(id)) ids.set(id, system.newId(kind))
  }
  for (const turn of turns) {
    add(turn.id, 'turn')
    for (const step of turn.steps) {
      add(step.id, 'step')
      for (const call of step.calls) add(call.id, 'call')
    }
    for (const { id } of turn.attachments) add(id, 'attachment')
  }
  for (const { id } of entries) add(id, 'entry')
  return ids
}

function namesThread(entry: Entry): boolean {
  return entry.kind === 'notice' && (entry.code === 'forked' || entry.code === 'forked-to')
}

/** What a rewind undid is kept only in the source thread, so a copy does not offer to undo it. */
function withoutUndo(entry: Entry): Entry {
  if (entry.kind !== 'notice' || entry.code !== 'rewound') return entry
  const { rewindId: _, ...params } = entry.params
  return { ...entry, params }
}

/** Who wrote in the other person’s thread is not the recipient’s to know. */
function withoutAuthor(entry: Entry): Entry {
  if (entry.kind !== 'user-message') return entry
  const { authorId: _, ...rest } = entry
  return rest
}

/** IDs are long and random, so they can be distinguished from all other text, including addresses. */
function withIds<Value>(value: Value, ids: ReadonlyMap<string, string>): Value {
  const text = JSON.stringify(value).replaceAll(/[a-z][a-z0-9]{20}/g, (id) => ids.get(id) ?? id)
  return JSON.parse(text) as Value
}
