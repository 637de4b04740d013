import { createReadStream } from 'node:fs'
import { stdin, stdout } from 'node:process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { zipStream } from '@threadbox/protocol/archive'
import type { SleepingQuestion } from '@threadbox/protocol/host'
import { archiveEntries } from './archive.ts'
import { answerQuestion, type Refusal, RefusedQuestion } from './questions.ts'

/**
 * Answers one question about the tree that it was started in, as the user of the sandbox: what that user cannot read,
 * it cannot read either, and it has access to nothing else of this machine. The first line of its output is the result,
 * the rest the bytes of a file, or of a zip. `userId` null: it stays the user that started it.
 */
export type ReaderOrder = { question: SleepingQuestion; userId: number | null }
export type ReaderAnswer = { ok: unknown } | { refusal: Refusal }

const order = JSON.parse(await text(stdin)) as ReaderOrder
if (order.userId !== null) {
  process.setgroups?.([])
  process.setgid?.(order.userId)
  process.setuid?.(order.userId)
}
const say = (answer: ReaderAnswer) => stdout.write(`${JSON.stringify(answer)}\n`)
try {
  const answer = answerQuestion(order.question)
  if (answer.kind === 'list') say({ ok: answer.page })
  else say({ ok: answer.entry })
  if (answer.kind === 'content' && order.question.kind === 'content') {
    const { start, end } = order.question
    const last = Math.min(end ?? Number.POSITIVE_INFINITY, answer.entry.sizeBytes - 1)
    const content = { fd: answer.file, start, end: last, highWaterMark: 256 * 1024 }
    if (last >= start) await pipeline(createReadStream('', content), stdout)
  } else if (order.question.kind === 'archive') {
    await pipeline(Readable.from(zipStream(archiveEntries(order.question.only))), stdout)
  }
} catch (error) {
  if (!(error instanceof RefusedQuestion)) throw error
  say({ refusal: error.refusal })
}
