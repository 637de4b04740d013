import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestHost } from '@threadbox/testkit'

/** The least that any page with a sandbox behind it does: a field, a call to the guest, an event stream, a line of text. */
const page = `<!doctype html><title>floor</title><textarea autofocus></textarea><pre></pre><script>
const field = document.querySelector('textarea')
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return
  event.preventDefault()
  fetch('/run', { method: 'POST', body: field.value })
  field.value = ''
})
new EventSource('/events').onmessage = ({ data }) => {
  const line = document.createElement('div')
  line.textContent = JSON.parse(data)
  document.querySelector('pre').replaceChildren(line)
}
</script>`

export type BarePage = AsyncDisposable & {
  port: number
  url: string
  /** Resolves when the last command has ended. */
  ended(): Promise<void>
}

/** Serves that page. Text entered in its field runs in the sandbox, and the first output is sent to the page. */
export async function startBarePage(options: { host: TestHost; sandboxId: string }): Promise<BarePage> {
  const readers = new Set<ServerResponse>()
  let running: Promise<void> = Promise.resolve()
  const run = async (command: string) => {
    const client = options.host.runs(options.sandboxId)
    const key = `floor-${randomUUID()}`
    const start = { case: 'startCommand' as const, value: { command } }
    for await (const { event } of client.read({ key, offset: 0n, display: 0, start })) {
      if (event.case !== 'output') continue
      const data = JSON.stringify(Buffer.from(event.value.data).toString())
      for (const reader of readers) reader.write(`data: ${data}\n\n`)
    }
    await client.forget({ key })
  }
  const server = createServer(async (request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      readers.add(response)
      response.on('close', () => readers.delete(response))
    } else if (request.method === 'POST') {
      running = run((await buffer(request)).toString())
      response.end()
    } else response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    ended: () => running,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
