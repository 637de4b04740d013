import { makeSerial } from '@threadbox/concurrency'
import type { TextEntry } from '@threadbox/protocol/public'
import type { ThreadChange } from '../../threads/public.ts'
import type { ModelPart } from '../models/model-call.ts'
import { writerOf } from '../record/turn-history.ts'
import type { Recording, TurnDependencies } from './turn-dependencies.ts'

/** Records a model's output while it arrives. */
export type StepRecorder = {
  onPart(part: ModelPart): Promise<void>
  /** Records the rest and returns the entries in their final state, `done` or `partial`. */
  finish(status: 'done' | 'partial'): Promise<{ entries: TextEntry[]; text: string }>
}

type Block = { entry: TextEntry; recorded: number; isAdded: boolean }

/**
 * Interval at which deltas are recorded together: tokens arrive faster than people read, and each record waits for the
 * disk.
 */
const recordEveryMs = 60

export function makeStepRecorder(
  dependencies: Recording,
  step: { id: string; turnId: string; threadId: string },
): StepRecorder {
  const { log, store, system } = dependencies
  const blocks = new Map<string, Block>()
  let lastRecordedAt = 0
  let timer: NodeJS.Timeout | undefined
  const recording = makeSerial()
  let failure: unknown

  const recordNow = async () => {
    lastRecordedAt = system.now()
    const changes = [...blocks.values()].flatMap(changeOf)
    if (changes.length === 0) return
    const hasNewEntry = changes.some((change) => change.type === 'entry-added')
    const entryIds = [...blocks.values()].filter((block) => block.isAdded).map((block) => block.entry.id)
    await log.append(step.threadId, changes, async (transaction) => {
      if (hasNewEntry) await store.changeStep(step.id, { entryIds }, writerOf(transaction))
    })
  }
  const record = () => {
    clearTimeout(timer)
    timer = undefined
    return recording(recordNow).catch((error: unknown) => {
      failure = error
    })
  }
  const recordSoon = () => {
    const waitMs = lastRecordedAt + recordEveryMs - system.now()
    if (waitMs <= 0) return record()
    timer ??= setTimeout(() => void record(), waitMs)
    return Promise.resolve()
  }

  return {
    onPart: async (part) => {
      if (failure !== undefined) throw failure
      if (part.kind === 'block-started') blocks.set(part.id, newBlock(step, { system, block: part.block }))
      if (part.kind !== 'block-delta' || part.text === '') return
      const block = blocks.get(part.id)
      if (block === undefined) return
      block.entry = { ...block.entry, text: block.entry.text + part.text }
      await recordSoon()
    },
    finish: async (status) => {
      await record()
      if (failure !== undefined) throw failure
      const entries = [...blocks.values()].filter((block) => block.isAdded).map(({ entry }) => ({ ...entry, status }))
      const text = entries.filter((entry) => entry.kind === 'text').map((entry) => entry.text)
      return { entries, text: text.join('\n\n') }
    },
  }
}

function newBlock(
  step: { id: string; turnId: string },
  options: { system: TurnDependencies['system']; block: TextEntry['kind'] },
): Block {
  const base = { id: options.system.newId('entry'), turnId: step.turnId, at: options.system.now() }
  const entry: TextEntry = { ...base, kind: options.block, stepId: step.id, text: '', status: 'streaming' }
  return { entry, recorded: 0, isAdded: false }
}

/** The new part of a block. An entry appears with its first text, so that no entry is ever empty. */
function changeOf(block: Block): ThreadChange[] {
  const { entry, recorded } = block
  if (entry.text.length === recorded) return []
  const change: ThreadChange = block.isAdded
    ? { type: 'text-appended', entryId: entry.id, offset: recorded, text: entry.text.slice(recorded) }
    : { type: 'entry-added', entry }
  block.isAdded = true
  block.recorded = entry.text.length
  return [change]
}
