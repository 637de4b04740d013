import { waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { ApiContext } from './api.ts'
import type { OpenVisits } from './open-visits.ts'

/**
 * A comment at this interval keeps proxies from closing a quiet stream and shows the reader that the server is alive.
 */
const keepAliveMs = 15_000
/** A reader that takes nothing for this long is disconnected; it reconnects with the last id that it saw. */
const stallLimitMs = 60_000

export type SseMessage = { id?: string; data: string }

export type EventAnswer = {
  messages: (signal: AbortSignal) => AsyncIterable<SseMessage>
  visit: ReturnType<OpenVisits['follow']>
}

/**
 * Responds with server-sent events. Messages are taken from `messages` only as fast as the reader takes them, so a slow
 * reader costs one message of memory; one that stops reading is disconnected. The response ends when the visit is cut,
 * and the visit ends with it.
 */
export function answerEvents(context: ApiContext, { messages, visit }: EventAnswer): Response {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, visit.signal, context.req.raw.signal, context.get('stopping')])
  const chunks = encode(withKeepAlive(messages(signal)[Symbol.asyncIterator]()))
  let stall: NodeJS.Timeout | undefined
  const end = async () => {
    clearTimeout(stall)
    ended.abort()
    visit[Symbol.dispose]()
    await chunks.return(undefined)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stall)
        const next = await chunks.next().catch(async (error: unknown) => {
          await end()
          // Why it ended, such as a thread that the reader no longer reaches, is in the response to the next request.
          if (isThreadboxError(error)) return { done: true, value: undefined } as const
          throw error
        })
        if (next.done || signal.aborted) {
          await end()
          controller.close()
          return
        }
        controller.enqueue(next.value)
        stall = setTimeout(() => {
          end().catch(() => undefined)
          controller.error(new Error('The reader of an event stream stands still.'))
        }, stallLimitMs)
        stall.unref()
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  )
  return context.newResponse(body, 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
}

/** Yields undefined after each quiet interval, and once at the start so that the response starts immediately. */
async function* withKeepAlive<Value>(source: AsyncIterator<Value>): AsyncGenerator<Value | undefined> {
  try {
    yield undefined
    let pending = source.next()
    while (true) {
      if ((await waitAtMost(keepAliveMs, { work: pending })) === 'late') {
        yield undefined
        continue
      }
      const next = await pending
      if (next.done) return
      yield next.value
      pending = source.next()
    }
  } finally {
    await source.return?.()
  }
}

async function* encode(messages: AsyncIterable<SseMessage | undefined>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const message of messages) {
    if (message === undefined) yield encoder.encode(': keep-alive\n\n')
    else yield encoder.encode(`${message.id === undefined ? '' : `id: ${message.id}\n`}data: ${message.data}\n\n`)
  }
}
