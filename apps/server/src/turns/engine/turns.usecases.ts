import type { z } from '@hono/zod-openapi'
import { type KeyedLock, makeKeyedLock } from '@threadbox/concurrency'
import { isThreadboxError, type ThreadboxError } from '@threadbox/errors'
import type { CallDecision, retryTurnSchema, sendMessageSchema } from '@threadbox/protocol/public'
import type { ThreadChange } from '../../threads/public.ts'
import { decideCall } from './decide-call.ts'
import { type Accepted, makeIntake } from './intake.ts'
import { makeQueue } from './queue.usecases.ts'
import { retryTurn } from './retry-turn.ts'
import { withScreenshots } from './screenshot.logic.ts'
import { messageForCall, slashCommandIn } from './slash-command.logic.ts'
import { makeTitles } from './titles.ts'
import { notice, type Recording, type ToldNote, type TurnDependencies } from './turn-dependencies.ts'
import { type Ended, makeTurnEngine, type TurnEngine } from './turn-engine.ts'
import {
  callNotFound,
  callNotRepeatable,
  messageEmpty,
  messageNotDelivered,
  messageNotFound,
  turnRunning,
} from './turns.errors.ts'

/** Operations of users and programs on a thread's conversation. The caller has checked access to the thread. */
export type Turns = {
  /** `authorId`: who sends it; null: not known, as for the message of a run. */
  send(threadId: string, message: z.infer<typeof sendMessageSchema>, authorId?: string | null): Promise<Accepted>
  editQueued(threadId: string, entryId: string, text: string): Promise<void>
  removeQueued(threadId: string, entryId: string): Promise<void>
  reorderQueue(threadId: string, entryIds: readonly string[]): Promise<void>
  resumeQueue(threadId: string): Promise<void>
  /** Replaces a delivered message by another text and sends it; later messages are removed from the conversation. */
  editAndResend(threadId: string, message: { entryId: string; text: string; authorId?: string }): Promise<Accepted>
  /** Stops the running turn: the request to the model and all calls. Does nothing when no turn runs. */
  stop(threadId: string): Promise<void>
  retry(threadId: string, request: z.infer<typeof retryTurnSchema>): Promise<Accepted>
  /** Repeats a command or a cell as the user. */
  runAgain(threadId: string, callId: string, authorId?: string): Promise<Accepted>
  /**
   * Records the decision on a call that waits for approval; the turn continues after its last decision. Throws
   * `call.not-awaiting`.
   */
  decide(userId: string, call: { threadId: string; callId: string; decision: CallDecision }): Promise<void>
  /** Call at start: resumes every turn that was running, and the queues behind them. */
  recover(): Promise<void>
  /** Offers messages that were sent without a connected model to the model that was just connected. */
  offerModel(modelName: string): Promise<void>
  /** Runs `work` while no turn of the thread runs or starts. Throws the result of `refusal` when one runs. */
  whileQuiet<Value>(
    threadId: string,
    order: { work: () => Promise<Value>; refusal: () => ThreadboxError },
  ): Promise<Value>
  /** Resolves when no turn of the thread runs in this process. */
  settled(threadId: string): Promise<void>
  close(): Promise<void>
}

export function makeTurns(dependencies: TurnDependencies): Turns {
  const { store, queue: queueStore, system } = dependencies
  const exclusively = makeKeyedLock()
  const queue = makeQueue(dependencies)
  const titles = makeTitles(dependencies)
  const engine = makeTurnEngine(dependencies, {
    onEnded: async ({ turn, status }) => {
      // Takes the snapshot before the next queued message, which can change the disk.
      void dependencies.sandbox.snapshots.turnEnded(turn.threadId)
      announceEnd(dependencies, { turn, status })
      if (status === 'finished') void titles.afterTurn(turn)
      await dependencies.log.prune(turn.threadId)
      const next = await exclusively(turn.threadId, async () =>
        status === 'finished' ? deliver(turn.threadId) : void (await queue.hold(turn.threadId)),
      )
      if (next === undefined) dependencies.sandbox.access.turnEnded(turn.threadId)
    },
  })
  const intake = makeIntake(dependencies, engine)
  const beginning = makeTurnStarter(dependencies, exclusively)
  const deliver = makeDelivery(dependencies, { queue, engine })
  return {
    send: (threadId, request, authorId = null) =>
      beginning(threadId, async () => {
        const known = await queueStore.findKey(threadId, request.key)
        if (known !== undefined) return known
        const attachments = withScreenshots(
          await dependencies.threads.attachmentsOf(threadId, request.attachmentIds),
          request.screenshots ?? {},
        )
        if (request.text.trim() === '' && attachments.length === 0) throw messageEmpty({})
        const isUnattended = request.approvals === 'deny'
        const notes = await notesOf(dependencies, { threadId, before: Number.POSITIVE_INFINITY })
        const sent = intake.newMessage(threadId, request.text, authorId)
        const message = { ...sent, attachments, isUnattended, ...noteIn(notes) }
        const accepted = await intake.beginOrQueue(message, request.key)
        await titles.fromMessage(threadId, request.text)
        return accepted
      }),
    ...queueCalls({ queue, exclusively, deliver }),
    editAndResend: (threadId, { entryId, text, authorId = null }) =>
      beginning(threadId, async () => {
        const message = {
          ...intake.newMessage(threadId, text, authorId),
          ...(await planRemovalFrom(dependencies, { threadId, entryId })),
        }
        const { removals, ordinal, ...rest } = message
        return await intake.begin(rest, {
          before: removals,
          alongside: (writer) => store.removeTurnsFrom(threadId, ordinal, writer),
        })
      }),
    stop: async (threadId) => {
      const turnId = await store.runningTurn(threadId)
      if (turnId === undefined) return
      await store.changeTurn(turnId, { isStopRequested: true }, store.writer)
      engine.start({ id: turnId, threadId })
      engine.interrupt(turnId)
      await engine.ended(turnId)
    },
    retry: (threadId, request) =>
      beginning(threadId, async () => {
        const turn = await retryTurn(dependencies, threadId, request)
        engine.start({ id: turn.id, threadId })
        return { entryId: turn.userEntryId, turnId: turn.id }
      }),
    runAgain: (threadId, callId, authorId) =>
      beginning(threadId, async () => {
        const call = await store.call(threadId, callId)
        if (call === undefined) throw callNotFound({})
        const text = messageForCall(call.tool, call.input)
        if (text === undefined) throw callNotRepeatable({ tool: call.tool })
        const message = intake.newMessage(threadId, text, authorId ?? null)
        return await intake.beginOrQueue(message, `again-${system.newId('entry')}`)
      }),
    decide: (userId, { threadId, callId, decision }) =>
      exclusively(threadId, async () =>
        engine.start(await decideCall(dependencies, { userId, threadId, callId, decision })),
      ),
    recover: async () => {
      const running = await store.runningTurns()
      for (const turn of running) engine.start(turn)
      for (const threadId of await queueStore.waitingThreads()) await exclusively(threadId, () => deliver(threadId))
      if (running.length > 0) dependencies.logger.info({ turns: running.length }, 'running turns resumed')
    },
    offerModel: (modelName) => offerModel(dependencies, modelName),
    whileQuiet: (threadId, { work, refusal }) =>
      exclusively(threadId, async () => {
        if ((await store.runningTurn(threadId)) !== undefined) throw refusal()
        return await work()
      }),
    settled: (threadId) => untilSettled(threadId, { store, engine }),
    close: engine.close,
  }
}

function announceEnd({ above, system }: Pick<TurnDependencies, 'above' | 'system'>, { turn, status }: Ended): void {
  const seconds = (system.now() - turn.startedAt) / 1000
  void above.events.emit('turn-ended', { turnId: turn.id, threadId: turn.threadId, status, seconds })
}

/**
 * Returns a function that runs `work` exclusively for the thread. It throws `thread.not-found` if the thread was
 * deleted after authorization, and the error of a gate that refuses new turns.
 */
function makeTurnStarter(dependencies: Pick<TurnDependencies, 'above' | 'threads'>, exclusively: KeyedLock) {
  return <Value>(threadId: string, work: () => Promise<Value>) =>
    exclusively(threadId, async () => {
      await dependencies.threads.require(threadId)
      await assertCanBegin(dependencies, threadId)
      return await work()
    })
}

/** Returns a function that starts the next queued message, and returns its turn, if a turn can start. */
function makeDelivery(
  dependencies: Pick<TurnDependencies, 'above'>,
  { queue, engine }: { queue: ReturnType<typeof makeQueue>; engine: TurnEngine },
) {
  return async (threadId: string): Promise<string | undefined> => {
    if (!(await canBegin(dependencies, threadId))) return undefined
    const turnId = await queue.deliver(threadId)
    if (turnId !== undefined) engine.start({ id: turnId, threadId })
    return turnId
  }
}

async function assertCanBegin({ above }: Pick<TurnDependencies, 'above'>, threadId: string): Promise<void> {
  for (const gate of above.gates()) await gate(threadId)
}

/** Notes for the model on how the conversation came about. */
async function notesOf(
  { above }: Pick<TurnDependencies, 'above'>,
  { threadId, before }: { threadId: string; before: number },
): Promise<ToldNote[]> {
  const notes: ToldNote[] = []
  for (const note of above.notes()) notes.push(...(await note(threadId, before)))
  return notes
}

function noteIn(notes: readonly (Pick<ToldNote, 'text'> & Partial<ToldNote>)[]) {
  return {
    note: notes.length === 0 ? null : notes.map(({ text }) => text).join('\n\n'),
    noteCodes: notes.flatMap(({ code }) => code ?? []),
  }
}

/** Returns whether a turn can start; otherwise queued messages stay in the queue. */
async function canBegin(dependencies: Pick<TurnDependencies, 'above'>, threadId: string): Promise<boolean> {
  try {
    await assertCanBegin(dependencies, threadId)
    return true
  } catch (error) {
    if (isThreadboxError(error)) return false
    throw error
  }
}

/** Operations of users on queued messages. */
function queueCalls(parts: {
  queue: ReturnType<typeof makeQueue>
  exclusively: KeyedLock
  /** Returns the turn that a queued message became. */
  deliver: (threadId: string) => Promise<string | undefined>
}): Pick<Turns, 'editQueued' | 'removeQueued' | 'reorderQueue' | 'resumeQueue'> {
  const { queue, exclusively, deliver } = parts
  return {
    editQueued: (threadId, entryId, text) => exclusively(threadId, () => queue.edit(threadId, entryId, text)),
    removeQueued: (threadId, entryId) => exclusively(threadId, () => queue.remove(threadId, entryId)),
    reorderQueue: (threadId, entryIds) => exclusively(threadId, () => queue.reorder(threadId, entryIds)),
    resumeQueue: (threadId) =>
      exclusively(threadId, async () => {
        await queue.release(threadId)
        await deliver(threadId)
      }),
  }
}

async function untilSettled(
  threadId: string,
  { store, engine }: { store: TurnDependencies['store']; engine: TurnEngine },
): Promise<void> {
  for (;;) {
    const turnId = await store.runningTurn(threadId)
    if (turnId === undefined || !engine.isLive(turnId)) return
    await engine.ended(turnId)
  }
}

/** Lists what an edit removes: the message's turn and all later turns, with all of their entries. */
async function planRemovalFrom(
  dependencies: Pick<TurnDependencies, 'above' | 'log' | 'queue' | 'store'>,
  message: { threadId: string; entryId: string },
) {
  const { store, queue, log } = dependencies
  const { threadId, entryId } = message
  const turn = await store.turnOfEntry(threadId, entryId)
  if (turn === undefined) {
    const isQueued = (await queue.list(threadId)).some((queued) => queued.entryId === entryId)
    throw isQueued ? messageNotDelivered({}) : messageNotFound({})
  }
  if ((await store.runningTurn(threadId)) !== undefined) throw turnRunning({})
  const turns = await store.turnsFrom(threadId, turn.ordinal)
  const turnIds = new Set(turns.map(({ id }) => id))
  const entries = (await log.entries(threadId)).filter((entry) => turnIds.has(entry.turnId))
  const removals = entries.map(({ id }): ThreadChange => ({ type: 'entry-removed', entryId: id }))
  const hadEffects = turns.some(({ steps }) => steps.some((step) => step.calls.length > 0))
  const effects =
    'The user edited this message and sent it again. Your later work was removed from the conversation, but its ' +
    'effects on the sandbox remain.'
  const history = await notesOf(dependencies, { threadId, before: turn.ordinal })
  const notes = noteIn([...history, ...(hadEffects ? [{ text: effects }] : [])])
  return { removals, ordinal: turn.ordinal, attachments: turn.attachments, ...notes }
}

/** Limit of threads that are offered a new model: those that most recently waited for one. */
const maxOffers = 50

async function offerModel(
  dependencies: Recording & Pick<TurnDependencies, 'logger'>,
  modelName: string,
): Promise<void> {
  const { store, log, system } = dependencies
  for (const turn of await store.unansweredTurns(maxOffers)) {
    if (slashCommandIn(turn.userText) !== undefined) continue
    const entry = notice(system, { turnId: turn.id, code: 'model-available', params: { model: modelName } })
    await log.append(turn.threadId, [{ type: 'entry-added', entry }]).catch((error: unknown) => {
      dependencies.logger.debug({ err: error, threadId: turn.threadId }, 'model could not be offered in a thread')
    })
  }
}
