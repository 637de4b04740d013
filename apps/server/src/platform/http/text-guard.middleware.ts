import { createMiddleware } from 'hono/factory'
import type { ApiEnv } from './api.ts'
import { requestInvalid, requestNotJson, requestNotText, requestProblems, requestTooLarge } from './http.errors.ts'

/** Largest JSON body: a message of 200,000 characters, each written as an escape of six. */
export const maxJsonBytes = 2 * 1024 * 1024

/**
 * Lets only text through to the routes: a URL in UTF-8 without NUL, and a JSON body in UTF-8 that is valid, not too
 * large, and has neither NUL nor lone surrogates in any string. Databases can reject these, and a rejection further
 * inside would differ from route to route.
 */
export const guardText = createMiddleware<ApiEnv>(async (context, next) => {
  checkAddress(new URL(context.req.url))
  const type = context.req.header('content-type') ?? ''
  if (
    /^application\/([a-z.-]+\+)?json/i.test(type.trim()) &&
    context.req.method !== 'GET' &&
    context.req.method !== 'HEAD'
  ) {
    const text = decode(await readBounded(context.req.raw.body))
    checkJson(text)
    context.req.bodyCache.text = Promise.resolve(text) as unknown as string
  }
  await next()
})

function checkAddress(url: URL): void {
  const parts = [url.pathname, ...url.search.slice(1).split(/[&=]/)]
  for (const part of parts) {
    try {
      if (!isPlainText(decodeURIComponent(part.replaceAll('+', ' ')))) throw requestNotText({})
    } catch {
      throw requestNotText({})
    }
  }
}

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const part of body ?? []) {
    sizeBytes += part.byteLength
    if (sizeBytes > maxJsonBytes) throw requestTooLarge({ limitBytes: maxJsonBytes })
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw requestNotText({})
  }
}

function checkJson(text: string): void {
  let hasOnlyText = true
  let hasOnlyLengths = true
  try {
    JSON.parse(text, (key, value) => {
      if (!isPlainText(key) || (typeof value === 'string' && !isPlainText(value))) hasOnlyText = false
      if (key === 'length' && !canBeCompared(value)) hasOnlyLengths = false
      return value
    })
  } catch {
    throw requestNotJson({})
  }
  if (!hasOnlyText) throw requestNotText({})
  if (!hasOnlyLengths) throw requestInvalid(requestProblems([['length', 'must be a number']]))
}

/**
 * Zod compares the `length` of any value with a limit before it checks the type of the value, and fails if that is an
 * object that JavaScript can’t convert, such as `{"toString": 1}`.
 */
function canBeCompared(value: unknown): boolean {
  try {
    return Number(value) !== undefined
  } catch {
    return false
  }
}

function isPlainText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}
