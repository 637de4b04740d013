import { Hono } from 'hono'
import { type ApiEnv, idParam } from '../../platform/http/api.ts'
import { answerError } from '../../platform/http/errors.handler.ts'
import { requestNotText, requestTooLarge, routeNotFound } from '../../platform/http/http.errors.ts'
import { webhookHeadersMissing } from './runs.errors.ts'
import type { Webhooks } from './webhooks.usecases.ts'

/** Largest body of a webhook request: what an agent can read in one message. */
const maxBodyBytes = 256 * 1024

/**
 * Serves `/hooks/<id>` without a session: the signature is the proof. The body is read as raw bytes, because these were
 * signed.
 */
export function hookPages({ webhooks }: { webhooks: Pick<Webhooks, 'deliver'> }): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  app.onError(answerError)
  app.post('/:webhookId', async (context) => {
    const header = (name: string) => (context.req.header(name) ?? '').trim()
    const signed = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
    }
    const isWhole = Object.values(signed).every((value) => value !== '' && value.length <= 2000)
    if (!isWhole || !/^[\x21-\x7e]{1,256}$/.test(signed.id)) throw webhookHeadersMissing({})
    const body = await bytesOf(context.req.raw.body)
    const webhookId = idParam.safeParse(context.req.param('webhookId'))
    const { runId } = await webhooks.deliver(webhookId.data ?? '', { ...signed, body, text: textOf(body) })
    return context.json({ runId }, 202, { 'cache-control': 'no-store' })
  })
  app.all('*', () => {
    throw routeNotFound({})
  })
  return app
}

async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const part of body ?? []) {
    sizeBytes += part.byteLength
    if (sizeBytes > maxBodyBytes) throw requestTooLarge({ limitBytes: maxBodyBytes })
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Decodes the text of a message: UTF-8 without NUL. */
function textOf(body: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw requestNotText({}, { cause })
  }
  if (text.includes('\0')) throw requestNotText({})
  return text
}
