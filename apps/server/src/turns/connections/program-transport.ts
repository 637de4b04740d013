import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { makeSerial, waitAtMost } from '@threadbox/concurrency'
import { connectionAnswerTooLarge } from '../../platform/outbound/outbound.errors.ts'
import { connectionAnswerInvalid, connectionProgramEnded } from './connections.errors.ts'
import { problemOf } from './problem-words.logic.ts'
import { type LastWords, makeLastWords } from './program.logic.ts'
import { makeLineReader } from './program-lines.logic.ts'

export type ProgramOutput =
  | { kind: 'stdout' | 'stderr'; bytes: Uint8Array }
  /** The last item. `how` describes the exit for the user. */
  | { kind: 'ended'; how: string }

/** A running program. `output` can be read once. */
export type StartedProgram = {
  output: AsyncIterable<ProgramOutput>
  /** Rejects when the program no longer accepts input. */
  write(bytes: Uint8Array): Promise<void>
  /** Closes the input, then sends signals. Never rejects. */
  end(): Promise<void>
}

/** With these two properties the SDK treats the transport as that of a program, including its rules for silence. */
type ProgramTransport = Transport & { stderr: null; pid: null }

/** Limit of messages per request beside the response: progress and log notes, not a data stream. */
const maxMessages = 10_000
const lastWordsMs = 1000

/**
 * MCP over a program's input and output, one message per line. Lines that aren't messages are ignored. A program that
 * exceeds the limits or exits breaks the transport: `onBroken` gets the reason, once.
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

  const ended = Promise.withResolvers<Error | undefined>()
  const end = (error?: Error) => {
    if (state === 'over') return
    state = 'over'
    ended.resolve(error)
    if (error !== undefined) options.onBroken(error)
    void program.end()
    transport.onclose?.()
  }
  const read = async () => {
    const reader = makeLineReader(maxBytes)
    for await (const output of program.output) {
      // Output is read to its end, because a program that blocks on writing doesn't exit.
      if (state === 'over') continue
      if (output.kind === 'ended') end(connectionProgramEnded({ how: output.how, lastWords: words.text() }))
      if (output.kind === 'ended') return
      allowed.bytes -= output.bytes.byteLength
      if (allowed.bytes < 0) end(connectionAnswerTooLarge({ mebibytes }))
      else if (output.kind === 'stderr') words.add(output.bytes)
      else handleLines(reader.push(output.bytes))
      // A program's requests are answered before more output is read, so that unsent responses can't pile up.
      await sending.settled()
    }
    end(connectionProgramEnded({ how: 'its sandbox is gone', lastWords: words.text() }))
  }
  const handleLines = ({ lines, isTooLong }: { lines: string[]; isTooLong: boolean }) => {
    for (const line of lines) {
      const message = messageIn(line, words)
      if (message === undefined) continue
      allowed.messages -= 1
      if (allowed.messages < 0) {
        return end(connectionAnswerInvalid(problemOf('too-many-messages')))
      }
      if ('id' in message && !('method' in message)) pending.delete(message.id as string | number)
      transport.onmessage?.(message)
      if (state === 'over') return
    }
    if (isTooLong) end(connectionAnswerTooLarge({ mebibytes }))
  }
  const transport: ProgramTransport = {
    stderr: null,
    pid: null,
    start: async () => {
      if (state !== 'new') return
      state = 'open'
      read().catch(() => end(connectionProgramEnded({ how: 'its sandbox can’t be reached', lastWords: words.text() })))
    },
    send: async (message) => {
      if (state !== 'open') throw connectionProgramEnded({ how: 'before the first request', lastWords: words.text() })
      if ('method' in message && 'id' in message) {
        pending.add(message.id as string | number)
        // Each request adds the allowance for one response, so unsolicited output can't exceed what pending requests
        // allow.
        allowed.bytes = Math.min(allowed.bytes + maxBytes, maxBytes * pending.size)
        allowed.messages = Math.min(allowed.messages + maxMessages, maxMessages * pending.size)
      }
      const sent = sending(() => program.write(Buffer.from(`${JSON.stringify(message)}\n`)))
      await sent.catch(async (error: unknown) => {
        // A program that has exited accepts no requests; the reason of its exit is still on its way.
        await waitAtMost(lastWordsMs, { work: ended.promise })
        if (state !== 'over')
          end(connectionProgramEnded({ how: 'it doesn’t accept requests', lastWords: words.text() }))
        throw (await ended.promise) ?? error
      })
    },
    close: async () => end(),
  }
  return transport
}

/** Programs also print log lines on stdout: they aren't messages but may explain an exit. */
function messageIn(line: string, words: LastWords): JSONRPCMessage | undefined {
  if (line.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JSONRPCMessage
  } catch {
    // Not JSON: recorded as last words below.
  }
  words.add(Buffer.from(`${line.slice(0, 2000)}\n`))
  return undefined
}
