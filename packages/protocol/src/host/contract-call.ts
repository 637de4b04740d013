import { z } from 'zod'

/** How the value of a call is written to a response and parsed from it. Anything else is a `ZodError`. */
export type Answer<Value> = {
  toResponse(value: Value): Response
  fromResponse(response: Response): Promise<Value>
}

/** A response without an end: one JSON object per line. */
export type Lines<Item> = { line: z.ZodType<Item> }

/** Kinds of ids whose form is checked before an order is executed. */
export type IdKind = 'sandbox' | 'boot' | 'snapshot'

/** One row of the contract. A call’s arguments come in this order: the ids of the path, the order, the bytes. */
export type HostCall = {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** Ids as `:sandboxId`. */
  path: string
  /** The order: as a JSON body, as query parameters, or as JSON in the parameter `order` beside bytes. */
  body?: z.ZodType
  query?: z.ZodType
  order?: z.ZodType
  sends?: 'bytes' | 'stream'
  response: z.ZodType | Answer<unknown> | Lines<unknown>
  /** Fields of the order that are ids. */
  ids?: Readonly<Record<string, IdKind>>
  /** The order’s boot is also named in a header. */
  hasBootHeader?: true
  timeout?: HostTimeout
  /** The caller gets `undefined` if nothing exists under the ids of the path. */
  allowMissing?: true
  /** The caller can end the request by a signal. */
  isCancelable?: true
}

/**
 * `order`: can include creating a disk and starting a sandbox on a busy machine. `memory`: saves or reads gigabytes.
 * `unlimited`: takes as long as the other end allows.
 */
export type HostTimeout = 'order' | 'memory' | 'unlimited'

export type HostContract = Readonly<Record<string, HostCall>>

export function call<
  const Method extends HostCall['method'],
  const Path extends string,
  const Rest extends Omit<HostCall, 'method' | 'path'>,
>(method: Method, path: Path, rest: Rest): { method: Method; path: Path } & Rest {
  return { method, path, ...rest }
}

export type IdsOf<Path extends string> = Path extends `${string}:${string}/${infer Rest}`
  ? [id: string, ...IdsOf<`/${Rest}`>]
  : Path extends `${string}:${string}`
    ? [id: string]
    : []

type OrderOf<Call> = Call extends { body: infer Body extends z.ZodType }
  ? [order: z.output<Body>]
  : Call extends { order: infer Order extends z.ZodType }
    ? [order: z.output<Order>]
    : Call extends { query: infer Query extends z.ZodType }
      ? Record<never, never> extends z.output<Query>
        ? [query?: z.output<Query>]
        : [query: z.output<Query>]
      : []

type BytesOf<Call> = Call extends { sends: 'bytes' }
  ? [bytes: Uint8Array]
  : Call extends { sends: 'stream' }
    ? [bytes: ReadableStream<Uint8Array>]
    : []

type ValueOf<Call> = Call extends { response: Answer<infer Value> }
  ? Value
  : Call extends { response: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : never

type MissingOf<Call> = Call extends { allowMissing: true } ? undefined : never

/** The function type of a row, for its callers and its implementation. */
export type CallOf<Call extends HostCall> = Call extends { response: Lines<infer Item> }
  ? (signal: AbortSignal) => AsyncIterable<Item>
  : (
      ...given: [
        ...IdsOf<Call['path']>,
        ...OrderOf<Call>,
        ...BytesOf<Call>,
        ...(Call extends { isCancelable: true } ? [signal?: AbortSignal] : []),
      ]
    ) => Promise<ValueOf<Call> | MissingOf<Call>>

export type ApiOf<Contract extends HostContract> = { [Name in keyof Contract]: CallOf<Contract[Name]> }

/** The path of a call with its ids filled in. */
export function pathOf({ path }: { path: string }, ids: readonly string[]): string {
  const left = [...ids]
  return path.replaceAll(/:\w+/g, () => encodeURIComponent(left.shift() ?? ''))
}

/** The names of the ids in a path, in order. */
export function idNamesOf({ path }: { path: string }): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
}

export function answerOf({ response }: HostCall): Answer<unknown> {
  if ('line' in response) throw new TypeError('a call that answers lines has no single answer')
  return 'safeParse' in response ? jsonAnswer(response) : response
}

/** The value unchanged: fields that a newer host adds are sent, and the client’s schema drops those it doesn’t know. */
function jsonAnswer<Value>(schema: z.ZodType<Value>): Answer<Value> {
  return { toResponse: jsonResponse, fromResponse: async (response) => read(schema, await response.text()) }
}

export function jsonResponse(value: unknown): Response {
  return new Response(JSON.stringify(value), { status: 200, headers: { 'content-type': 'application/json' } })
}

export function read<Value>(schema: z.ZodType<Value>, text: string): Value {
  return schema.parse(parseJson(text))
}

/** An object with one field on the wire, and the field's value in code. */
export function field<Value>(name: string, schema: z.ZodType<Value>): Answer<Value> {
  const whole = z.record(z.string(), z.unknown())
  return {
    toResponse: (value) => jsonResponse({ [name]: value }),
    fromResponse: async (response) => schema.parse(read(whole, await response.text())[name]),
  }
}

export const nothing: Answer<void> = {
  toResponse: () => new Response(null, { status: 204 }),
  fromResponse: async (response) => void (await response.text()),
}

/** Bytes as a stream; it breaks when the other end fails. */
export function bytes(contentType: string): Answer<ReadableStream<Uint8Array>> {
  return {
    toResponse: (stream) => new Response(stream, { status: 200, headers: { 'content-type': contentType } }),
    fromResponse: async ({ body }) => body ?? new Blob([]).stream(),
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
