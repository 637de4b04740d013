import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { makeSerial, waitAtMost } from '@threadbox/concurrency'
import { connectionAnswerTooLarge } from '../../platform/outbound/outbound.errors.ts'
import { connectionAnswerInvalid, connectionProgramEnded } from './connections.errors.ts'
import { type LastWords, makeLastWords } from './program.models.ts'
import { makeLineReader } from './program-lines.models.ts'

export type ProgramOutput =
  | { kind: 'stdout' | 'stderr'; bytes: Uint8Array }
  /** Nothing follows. `how`: in words for a person. */
  | { kind: 'ended'; how: string }

/** A program that runs, whose output is read once. */
export type StartedProgram = {
  output: AsyncIterable<ProgramOutput>
  /** Rejects when the program takes no more. */
  write(bytes: Uint8Array): Promise<void>
  /** Ends it: politely, then certainly. Never rejects. */
  end(): Promise<void>
}

/** The library knows the transport of a program by these two, and judges its silence as that of a program. */
type ProgramTransport = Transport & { stderr: null; pid: null }

/** Messages that one request may bring beside its answer: progress and notes of what happens, not a stream of data. */
const maxMessages = 10_000
const lastWordsMs = 1000

/**
 * The protocol over a program's input and output, one message a line. What is no message is not taken for one. A program
 * that sends more than it may, or ends, breaks the transport: `onBroken` is told why, once.
 */
export function makeProgramTransport(options: {
  program: StartedProgram
  maxAnswerMebibytes: number
  redact: (text: string) => string
  onBroken(error: Error): void
}): ProgramTransport {
  const { program, maxAnswerMebibytes: mebibytes } = options
  const maxBytes = mebibytes * 1024 * 1024
  const words = makeLastWords(options.redact)
  const pending = new Set<string | number>()
  const allowed = { bytes: maxBytes, messages: maxMessages }
  const sending = makeSerial()
  let state: 'new' | 'open' | 'over' = 'new'

  const gone = Promise.withResolvers<Error | undefined>()
  const over = (error?: Error) => {
    if (state === 'over') return
    state = 'over'
    gone.resolve(error)
    if (error !== undefined) options.onBroken(error)
    void program.end()
    transport.onclose?.()
  }
  const read = async () => {
    const reader = makeLineReader(maxBytes)
    for await (const output of program.output) {
      // Read to its end all the same: a program that waits to be read does not end by itself.
      if (state === 'over') continue
      if (output.kind === 'ended') over(connectionProgramEnded({ how: output.how, lastWords: words.text() }))
      if (output.kind === 'ended') return
      allowed.bytes -= output.bytes.byteLength
      if (allowed.bytes < 0) over(connectionAnswerTooLarge({ mebibytes }))
      else if (output.kind === 'stderr') words.hear(output.bytes)
      else hearLines(reader.push(output.bytes))
      // What a program asks of us is answered before more of it is read: it cannot make us hold answers.
      await sending.settled()
    }
    over(connectionProgramEnded({ how: 'its sandbox is gone', lastWords: words.text() }))
  }
  const hearLines = ({ lines, isTooLong }: { lines: string[]; isTooLong: boolean }) => {
    for (const line of lines) {
      const message = messageIn(line, words)
      if (message === undefined) continue
      allowed.messages -= 1
      if (allowed.messages < 0) {
        return over(connectionAnswerInvalid({ problem: 'it sends too many unsolicited messages.' }))
      }
      if ('id' in message && !('method' in message)) pending.delete(message.id as string | number)
      transport.onmessage?.(message)
      if (state === 'over') return
    }
    if (isTooLong) over(connectionAnswerTooLarge({ mebibytes }))
  }
  const transport: ProgramTransport = {
    stderr: null,
    pid: null,
    start: async () => {
      if (state !== 'new') return
      state = 'open'
      read().catch(() => over(connectionProgramEnded({ how: 'its sandbox can’t be reached', lastWords: words.text() })))
    },
    send: async (message) => {
      if (state !== 'open') throw connectionProgramEnded({ how: 'before the first request', lastWords: words.text() })
      if ('method' in message && 'id' in message) {
        pending.add(message.id as string | number)
        // Each request brings an answer of its own; what nobody asked for does not add up to more.
        allowed.bytes = Math.min(allowed.bytes + maxBytes, maxBytes * pending.size)
        allowed.messages = Math.min(allowed.messages + maxMessages, maxMessages * pending.size)
      }
      const sent = sending(() => program.write(Buffer.from(`${JSON.stringify(message)}\n`)))
      await sent.catch(async (error: unknown) => {
        // A program that ended takes no requests any more, and the reason of its end is on its way.
        await waitAtMost(lastWordsMs, { work: gone.promise })
        if (state !== 'over')
          over(connectionProgramEnded({ how: 'it doesn’t accept requests', lastWords: words.text() }))
        throw (await gone.promise) ?? error
      })
    },
    close: async () => over(),
  }
  return transport
}

/** Programs print on their output what belongs into the other one: it may say why they end, and is no message. */
function messageIn(line: string, words: LastWords): JSONRPCMessage | undefined {
  if (line.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JSONRPCMessage
  } catch {
    // No JSON: kept as words below.
  }
  words.hear(Buffer.from(`${line.slice(0, 2000)}\n`))
  return undefined
}
