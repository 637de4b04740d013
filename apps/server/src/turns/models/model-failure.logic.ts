import { isThreadboxError } from '@threadbox/errors'
import type { TurnFailure } from '@threadbox/protocol/public'

/**
 * Turns an error that a provider's client threw, or that a stream contained, into a failure that users can act on.
 * Providers share few status codes, so their own error types are read too; their text is read only where nothing else
 * distinguishes a full context from a malformed request.
 */
export function modelFailureOf(error: unknown, options: { nowMs: number; provider: string }): TurnFailure {
  const facts = factsOf(error)
  const code = codeOf(facts)
  return {
    code,
    ...wordsOf(code, { facts, provider: options.provider }),
    retryAt: code === 'rate-limited' ? retryAtOf(facts, options.nowMs) : null,
    actions: actionsOf[code] ?? ['retry', 'switch-model'],
  }
}

/** Why a person’s limit or the installation’s did not allow a request; undefined for other errors. */
export function quotaFailureOf(error: unknown): TurnFailure | undefined {
  if (!isThreadboxError(error) || !error.code.startsWith('quota.')) return undefined
  const { message, remedy, details } = error
  const resetsAt = (details as { resetsAt?: unknown }).resetsAt
  return {
    code: 'limit-spend',
    message,
    remedy,
    retryAt: typeof resetsAt === 'number' ? resetsAt : null,
    actions: ['continue', 'switch-model', 'open-settings'],
  }
}

export const refusedFailure: TurnFailure = {
  code: 'refused',
  message: 'The model declined to respond.',
  remedy: 'Rephrase the message, or switch to another model.',
  retryAt: null,
  actions: ['switch-model', 'retry'],
}

export const lengthFailure: TurnFailure = {
  code: 'limit-tokens',
  message: 'The response reached the model’s maximum length.',
  remedy: 'Continue to let the model carry on from here.',
  retryAt: null,
  actions: ['continue', 'retry'],
}

export const contextFullFailure: TurnFailure = {
  code: 'context-full',
  message: 'The conversation doesn’t fit in the model’s context window, even after it was summarized.',
  remedy: 'Switch to a model with a larger window, or start a new thread.',
  retryAt: null,
  actions: ['switch-model', 'retry'],
}

type Facts = {
  status: number | null
  types: string
  text: string
  headers: Record<string, string>
  isModelMissing: boolean
}

type ModelFailureCode = Extract<
  TurnFailure['code'],
  'rate-limited' | 'wrong-key' | 'overloaded' | 'context-full' | 'network' | 'internal'
>

const actionsOf: Partial<Record<TurnFailure['code'], TurnFailure['actions']>> = {
  'rate-limited': ['retry', 'switch-model'],
  'wrong-key': ['open-settings', 'switch-model', 'retry'],
  'context-full': ['switch-model', 'retry'],
  network: ['retry', 'continue', 'open-settings'],
  overloaded: ['retry', 'continue', 'switch-model'],
}

const contextFull =
  /prompt is too long|maximum context length|context.length.exceeded|context window|exceeds the (maximum|available|context)|too many tokens|input (is too long|token count)|n_ctx|exceed_context_size/i

function factsOf(error: unknown): Facts {
  const chain = chainOf(error)
  const find = <Value>(read: (link: Record<string, unknown>) => Value | undefined) =>
    chain.map(read).find((value) => value !== undefined)
  const status = find((link) => numberOf(link.statusCode)) ?? null
  const body = find((link) => (typeof link.responseBody === 'string' ? link.responseBody : undefined)) ?? ''
  const texts = chain.map((link) => textOf(link.message))
  const types = chain.map((link) => `${textOf(link.type)} ${textOf(link.code)} ${textOf(link.name)}`)
  const headers = find((link) => link.responseHeaders as Record<string, string> | undefined) ?? {}
  const text = firstLine(texts.find((candidate) => candidate !== '') ?? '')
  return {
    status,
    types: `${types.join(' ')} ${typesIn(body)}`,
    text,
    headers,
    isModelMissing: status === 404,
  }
}

/** Limit of causes and nested errors. */
const maxLinks = 12

/** The error, its causes, and the errors that providers nest (`errors`, `error`, `lastError`), nearest first. */
function chainOf(error: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = []
  const queue: unknown[] = [error]
  while (queue.length > 0 && chain.length < maxLinks) {
    const next = queue.shift()
    if (typeof next === 'string') chain.push({ message: next })
    if (typeof next !== 'object' || next === null || chain.includes(next as Record<string, unknown>)) continue
    const link = next as Record<string, unknown>
    chain.push(link)
    queue.push(link.lastError, link.cause, link.error)
    if (Array.isArray(link.errors)) queue.push(...link.errors.slice(0, maxLinks))
  }
  return chain
}

function typesIn(body: string): string {
  try {
    const parsed = JSON.parse(body) as { error?: Record<string, unknown> }
    const error = parsed.error ?? {}
    return [error.type, error.code, error.status].filter((value) => typeof value === 'string').join(' ')
  } catch {
    return ''
  }
}

function codeOf(facts: Facts): ModelFailureCode {
  const { status, types, text } = facts
  if (contextFull.test(`${types} ${text}`) || status === 413) return 'context-full'
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED|insufficient_quota/.test(types)) return 'rate-limited'
  if (status === 401 || status === 403 || /authentication_error|permission_error|invalid_api_key/.test(types)) {
    return 'wrong-key'
  }
  if (/api key/i.test(text) && status !== null && status < 500) return 'wrong-key'
  if (/overloaded|UNAVAILABLE|server_error|api_error|internal_server_error/.test(types)) return 'overloaded'
  if (status !== null && status >= 500) return 'overloaded'
  if (isNetwork(facts)) return 'network'
  return 'internal'
}

function isNetwork({ status, types, text }: Facts): boolean {
  if (/ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|UND_ERR|TimeoutError|EHOSTUNREACH|ENETUNREACH|CERT|TLS/.test(types))
    return true
  return status === null && /fetch failed|cannot connect|terminated|socket|network|closed before/i.test(text)
}

function wordsOf(
  code: ModelFailureCode,
  options: { facts: Facts; provider: string },
): Pick<TurnFailure, 'message' | 'remedy'> {
  const { facts, provider } = options
  const said = facts.text === '' ? '' : ` It said: “${facts.text}”`
  switch (code) {
    case 'rate-limited':
      return {
        message: `${provider}’s rate limit or quota for this key was reached.${said}`,
        remedy: 'Wait and try again, or switch to another model.',
      }
    case 'wrong-key':
      return { message: `${provider} rejected the API key.${said}`, remedy: 'Enter a valid key in Settings.' }
    case 'overloaded':
      return { message: `${provider} is overloaded or unavailable.${said}`, remedy: 'Try again in a moment.' }
    case 'context-full':
      return { message: contextFullFailure.message, remedy: contextFullFailure.remedy }
    case 'network':
      return {
        message: `The connection to ${provider} failed or was lost.${said}`,
        remedy: 'Check that the server can reach it, then try again. The response so far is kept.',
      }
    case 'internal':
      return facts.isModelMissing
        ? {
            message: `${provider} doesn’t have this model, or the base URL is wrong.${said}`,
            remedy: 'Check the model’s name and the base URL in Settings.',
          }
        : { message: `The request to ${provider} failed.${said}`, remedy: 'Try again, or switch to another model.' }
  }
}

/** `retry-after` is in seconds or a date; `retry-after-ms` in milliseconds. Limited to a day. */
function retryAtOf(facts: Facts, nowMs: number): number | null {
  const dayMs = 86_400_000
  const milliseconds = Number(facts.headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return nowMs + Math.min(Math.max(0, milliseconds), dayMs)
  const raw = facts.headers['retry-after']
  if (typeof raw !== 'string') return null
  const seconds = Number(raw)
  if (Number.isFinite(seconds)) return nowMs + Math.min(Math.max(0, seconds * 1000), dayMs)
  const date = Date.parse(raw)
  return Number.isNaN(date) ? null : Math.min(Math.max(date, nowMs), nowMs + dayMs)
}

/** Providers send errors of any form, including objects that can’t be converted to a string. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Providers can return whole pages as errors; one line is enough. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 300)
}
