import { z } from 'zod'
import { requestInvalid } from './contract.errors.ts'
import { type ApiOf, answerOf, type HostCall, type HostContract, type IdKind, idNamesOf } from './contract-call.ts'

/**
 * A caller that is still sending reads no response; one that stopped sending partway gets it after this long without
 * data.
 */
const drainMs = 3000

/** As `packages/domain` makes them. */
const idPatterns: Record<IdKind, RegExp> = {
  sandbox: /^s[a-z0-9]{20}$/,
  boot: /^b[a-z0-9]{20}$/,
  snapshot: /^d[a-z0-9]{20}$/,
}

type Carry = (...given: unknown[]) => unknown
type Route = { row: HostCall; segments: string[]; carry: Carry }

/**
 * Handles the requests of a contract with the functions that implement it; returns `undefined` for any other request.
 * Errors are thrown to the caller, which responds to them: `host.request-invalid` for an order that can’t be parsed.
 */
export function serveHostApi<Contract extends HostContract>(
  contract: Contract,
  api: ApiOf<Contract>,
): (request: Request) => Promise<Response | undefined> {
  const routes = Object.entries(contract).map(([name, row]): Route => {
    return { row, segments: row.path.split('/'), carry: api[name] as Carry }
  })
  return async (request) => {
    const url = new URL(request.url)
    const segments = url.pathname.split('/')
    const route = routes.find(({ row, segments: wanted }) => row.method === request.method && fits(wanted, segments))
    if (route === undefined) return undefined
    const { row, carry } = route
    const ids = idsOf(route, segments)
    if ('line' in row.response) return linesResponse((signal) => carry(signal) as AsyncIterable<unknown>)
    const order = await orderOf(row, { request, url })
    const answer = answerOf(row)
    if (row.sends === 'stream') {
      return answer.toResponse(await withStream(request, (stream) => carry(...ids, ...order, stream)))
    }
    const sent = row.sends === 'bytes' ? [new Uint8Array(await request.arrayBuffer())] : []
    const signal = row.isCancelable === true ? [request.signal] : []
    return answer.toResponse(await carry(...ids, ...order, ...sent, ...signal))
  }
}

function fits(wanted: readonly string[], segments: readonly string[]): boolean {
  return (
    wanted.length === segments.length &&
    wanted.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]))
  )
}

function idsOf({ row, segments: wanted }: Route, segments: readonly string[]): string[] {
  const ids = segments.filter((_, at) => wanted[at]?.startsWith(':'))
  return idNamesOf(row).map((name, at) => {
    const id = decoded(ids[at] ?? '')
    if (name === 'sandboxId' && !idPatterns.sandbox.test(id)) {
      throw requestInvalid({ problem: 'the path has no valid sandbox ID' })
    }
    return id
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The order as the single argument it is passed as, or none. */
async function orderOf(row: HostCall, { request, url }: { request: Request; url: URL }): Promise<unknown[]> {
  const schema = row.body ?? row.order ?? row.query
  if (schema === undefined) return []
  const found = schema.safeParse(await unparsedOrder(row, { request, url }))
  if (!found.success) throw requestInvalid({ problem: z.prettifyError(found.error) })
  for (const [name, kind] of Object.entries(row.ids ?? {})) {
    const id = (found.data as Record<string, unknown>)[name]
    if (typeof id === 'string' && !idPatterns[kind].test(id)) {
      throw requestInvalid({ problem: `${name} is not a valid ${kind} ID` })
    }
  }
  return [found.data]
}

async function unparsedOrder(row: HostCall, { request, url }: { request: Request; url: URL }): Promise<unknown> {
  if (row.order !== undefined) return parsed(url.searchParams.get('order') ?? '')
  if (row.body === undefined) return Object.fromEntries(url.searchParams)
  const text = await request.text()
  return text === '' ? {} : parsed(text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw requestInvalid({ problem: 'the body is not valid JSON' })
  }
}

/** Reads the rest of a rejected request, or the caller would see a broken connection instead of the error. */
async function withStream(request: Request, carry: (stream: ReadableStream<Uint8Array>) => unknown): Promise<unknown> {
  const reader = (request.body ?? new Blob([]).stream()).getReader()
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  try {
    return await carry(stream)
  } catch (error) {
    await drain(reader)
    throw error
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let silence: ReturnType<typeof setTimeout> | undefined
  const stop = () => void reader.cancel().catch(() => undefined)
  try {
    for (let isDone = false; !isDone; ) {
      clearTimeout(silence)
      silence = setTimeout(stop, drainMs)
      isDone = (await reader.read()).done
    }
  } catch {
    // The caller has disconnected and needs no response.
  } finally {
    clearTimeout(silence)
  }
}

function linesResponse(open: (signal: AbortSignal) => AsyncIterable<unknown>): Response {
  const closed = new AbortController()
  const items = open(closed.signal)[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await items.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    },
    cancel: () => closed.abort(),
  })
  return new Response(stream, {
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
  })
}
