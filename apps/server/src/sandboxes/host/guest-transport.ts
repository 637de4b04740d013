import type { DescMessage } from '@bufbuild/protobuf'
import { Code, ConnectError, type StreamResponse, type Transport } from '@connectrpc/connect'
import { inTurns } from '@threadbox/concurrency'
import { errorHeader } from '@threadbox/protocol/host'
import { guestAnswerUnknown, guestNotResponding, guestResponseTooLarge } from './host.errors.ts'

const mebibyte = 1024 * 1024

/** The largest message that is read of a guest, in bytes: the code of a sandbox can replace its guest. */
export const guestMessageLimits = {
  /** Guests send data in pieces of at most 256 KiB. */
  usual: mebibyte,
  /** A service’s log, or a folder, which guests before pages existed list whole: some 50,000 entries. */
  list: 8 * mebibyte,
  /** An event of a run. A guest omits a rich result above 15 MiB. */
  run: 16 * mebibyte,
} as const

/** Longest text of a guest’s error: it becomes part of messages and logs. */
const maxErrorCharacters = 2000
const maxProblemCharacters = 200

/** For a call with one response: removing a large folder can take minutes. */
const unaryTimeoutMs = 300_000

/**
 * Throws `guest.response-too-large` where the transport’s `readMaxBytes` is exceeded, and `guest.not-responding` for a
 * call with one response that has none after `timeoutMs`. Shortens long errors, and has a guest that sends messages without end
 * wait for the others.
 */
export function withBoundedErrors(
  transport: Transport,
  { limitBytes, timeoutMs = unaryTimeoutMs }: { limitBytes: number; timeoutMs?: number },
): Transport {
  const bounded = (error: unknown) => boundedError(error, limitBytes)
  return {
    unary: async (method, signal, ownTimeoutMs, ...call) => {
      try {
        return await transport.unary(method, signal, ownTimeoutMs ?? timeoutMs, ...call)
      } catch (error) {
        const isLate = error instanceof ConnectError && error.code === Code.DeadlineExceeded
        if (isLate && ownTimeoutMs === undefined) {
          throw guestNotResponding({ seconds: Math.ceil(timeoutMs / 1000) }, { cause: error })
        }
        throw bounded(error)
      }
    },
    stream: async (...call) => {
      const response = await transport.stream(...call).catch((error: unknown) => {
        throw bounded(error)
      })
      return { ...response, message: messagesOf(response.message, bounded) }
    },
  }
}

async function* messagesOf<Output extends DescMessage>(
  messages: StreamResponse<DescMessage, Output>['message'],
  bounded: (error: unknown) => unknown,
): StreamResponse<DescMessage, Output>['message'] {
  try {
    yield* inTurns(messages)
  } catch (error) {
    throw bounded(error)
  }
}

function boundedError(error: unknown, limitBytes: number): unknown {
  if (!(error instanceof ConnectError)) return error
  // The library has no other mark. A guest that sends this text has the same effect on its own call only.
  if (error.code === Code.ResourceExhausted && error.rawMessage.includes('configured readMaxBytes')) {
    return guestResponseTooLarge({ limitMebibytes: limitBytes / mebibyte }, { cause: error })
  }
  if (error.rawMessage.length <= maxErrorCharacters) return error
  const shortened = `${error.rawMessage.slice(0, maxErrorCharacters)}…`
  return new ConnectError(shortened, error.code, error.metadata)
}

/** The error of a call to a guest, as one for people where no feature has a better one. Others are returned unchanged. */
export function withGuestProblem(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error
  const refusal = error.metadata.get(errorHeader)
  const problem = refusal ?? (error.rawMessage === '' ? 'the connection broke off' : error.rawMessage)
  return guestAnswerUnknown({ problem: problem.slice(0, maxProblemCharacters) }, { cause: error })
}

/** A guest’s response, at most `maxBytes` of it: the rest isn’t read. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part.subarray(0, maxBytes - bytes))
    bytes += part.length
    if (bytes > maxBytes) break
  }
  return { text: Buffer.concat(parts).toString(), isCut: bytes > maxBytes }
}
