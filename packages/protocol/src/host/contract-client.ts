import { type ErrorDefinition, fromWireError } from '@threadbox/errors'
import { z } from 'zod'
import { hostAnswerUnknown } from './contract.errors.ts'
import {
  type ApiOf,
  answerOf,
  type HostCall,
  type HostContract,
  type HostTimeout,
  idNamesOf,
  parseJson,
  pathOf,
} from './contract-call.ts'
import { bootHeader } from './sandboxes.ts'

export type HostRequest = {
  method: HostCall['method']
  /** With its query. */
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | ReadableStream<Uint8Array> | undefined
  timeout: HostTimeout
  signal: AbortSignal | undefined
}

/** Sends a request to the host and returns its response, whose body can still be arriving. */
export type SendHostRequest = (request: HostRequest) => Promise<Response>

/** The error for a response that can’t be parsed. */
type UnknownAnswer = ErrorDefinition<{ status: number }>
type Sending = { send: SendHostRequest; unknownAnswer: UnknownAnswer }

/** The host sends a keep-alive every few seconds: after this silence its event stream counts as lost. */
const silenceMs = 45_000

/** The calls of a contract as functions. They throw the host’s errors, or `host.answer-unknown`. */
export function makeHostApi<Contract extends HostContract>(
  contract: Contract,
  send: SendHostRequest,
  unknownAnswer: UnknownAnswer = hostAnswerUnknown,
): ApiOf<Contract> {
  const calls = Object.entries(contract).map(([name, row]) => {
    if ('line' in row.response) {
      const { line } = row.response
      return [name, (signal: AbortSignal) => readLines(line, { signal, open: openerOf(row, { send, unknownAnswer }) })]
    }
    return [name, (...given: unknown[]) => order(row, { given, send, unknownAnswer })]
  })
  return Object.fromEntries(calls) as ApiOf<Contract>
}

async function order(row: HostCall, { given, send, unknownAnswer }: Sending & { given: unknown[] }): Promise<unknown> {
  const response = await send(requestOf(row, given))
  if (response.status >= 400) {
    const error = await failureOf(response, unknownAnswer)
    if (row.allowMissing === true && 'kind' in error && error.kind === 'not-found') return undefined
    throw error
  }
  try {
    return await answerOf(row).fromResponse(response)
  } catch (error) {
    if (error instanceof z.ZodError) throw unknownAnswer({ status: response.status }, { cause: error })
    throw error
  }
}

async function failureOf(response: Response, unknownAnswer: UnknownAnswer): Promise<Error> {
  return fromWireError(parseJson(await response.text())) ?? unknownAnswer({ status: response.status })
}

function requestOf(row: HostCall, given: readonly unknown[]): HostRequest {
  const left = [...given]
  const ids = idNamesOf(row).map(() => left.shift() as string)
  const [isJson, hasOrder] = [row.body !== undefined, (row.body ?? row.order ?? row.query) !== undefined]
  const wanted = hasOrder ? (left.shift() ?? {}) : {}
  const sent = row.sends === undefined ? undefined : (left.shift() as Uint8Array | ReadableStream<Uint8Array>)
  const { bootId } = wanted as { bootId?: string }
  const headers: Record<string, string> = {}
  if (isJson) headers['content-type'] = 'application/json'
  if (row.hasBootHeader === true && bootId !== undefined) headers[bootHeader] = bootId
  return {
    method: row.method,
    path: pathOf(row, ids) + queryOf(row, wanted),
    headers,
    body: isJson ? JSON.stringify(wanted) : sent,
    timeout: row.timeout ?? 'order',
    signal: row.isCancelable === true ? (left.shift() as AbortSignal | undefined) : undefined,
  }
}

/** A parameter that is false is not sent. */
function queryOf(row: HostCall, wanted: object): string {
  const parameters =
    row.order === undefined
      ? Object.entries(row.query === undefined ? {} : wanted)
      : [['order', JSON.stringify(wanted)]]
  const pairs = parameters
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

type OpenLines = (signal: AbortSignal) => Promise<Response>

function openerOf(row: HostCall, { send, unknownAnswer }: Sending): OpenLines {
  return async (signal) => {
    const response = await send({ ...requestOf(row, []), signal })
    if (response.status >= 400) throw await failureOf(response, unknownAnswer)
    return response
  }
}

async function* readLines(
  line: z.ZodType,
  { signal, open }: { signal: AbortSignal; open: OpenLines },
): AsyncGenerator<unknown> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const { body } = await open(AbortSignal.any([signal, silence.signal]))
    let rest = ''
    const decoder = new TextDecoder()
    for await (const part of body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMs)
      const texts = (rest + decoder.decode(part, { stream: true })).split('\n')
      rest = texts.pop() ?? ''
      for (const text of texts) {
        const item = line.safeParse(parseJson(text))
        // Ignores an event of a newer host that this server does not know.
        if (item.success) yield item.data
      }
    }
  } finally {
    clearTimeout(timer)
  }
}
