import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What it responds to every message. */
export const fixedResponse = 'Hello from a model with one response.'

/**
 * A model on loopback that speaks the OpenAI protocol: it streams the same response to every request and calls no tool.
 * Uses nothing but Node.
 */
export async function startFixedModel(): Promise<{ baseUrl: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('') || '{}') as { model?: string }
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
    const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: body.model }
    const usage = { prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 }
    const chunks = [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: fixedResponse }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const one of chunks) response.write(`data: ${JSON.stringify(one)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
