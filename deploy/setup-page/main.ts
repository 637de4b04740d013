import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readSteps } from './steps.logic.ts'

/**
 * The page that people see on the final address while threadbox is being set up: the launcher's steps, live. Uses
 * nothing but Node, and has no secret: it only repeats what the launcher writes into the folder of steps. On SIGTERM it
 * notifies every viewer that the server takes over, and frees the port.
 */
const updateEveryMs = 300

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '' },
    port: { type: 'string', default: '7717' },
    host: { type: 'string', default: '127.0.0.1' },
  },
})

const files: Record<string, { type: string; body: string }> = {
  '/__setup/page.css': { type: 'text/css', body: readFileSync(join(import.meta.dirname, 'page.css'), 'utf8') },
  '/__setup/page.js': { type: 'text/javascript', body: readFileSync(join(import.meta.dirname, 'page.js'), 'utf8') },
}
const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8')
const viewers = new Set<ServerResponse>()
let shown = JSON.stringify(currentSteps())

const server = createServer((request, response) => {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  response.setHeader('threadbox-setup', '1')
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
  )
  const file = files[path]
  if (file) return void response.setHeader('content-type', `${file.type}; charset=utf-8`).end(file.body)
  if (path === '/__setup/events') return watch(response)
  if (path.startsWith('/api/')) return void response.writeHead(503, { 'retry-after': '2' }).end()
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
})

const updating = setInterval(() => {
  const found = JSON.stringify(currentSteps())
  if (found === shown) return
  shown = found
  for (const viewer of viewers) viewer.write(`event: steps\ndata: ${shown}\n\n`)
}, updateEveryMs)

process.on('SIGTERM', () => {
  clearInterval(updating)
  for (const viewer of viewers) viewer.end('event: handover\ndata: {}\n\n')
  server.close()
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), 100).unref()
})

server.listen({ port: Number(values.port), host: values.host })

function watch(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`retry: 1000\nevent: steps\ndata: ${shown}\n\n`)
  viewers.add(response)
  response.on('close', () => viewers.delete(response))
}

function currentSteps() {
  try {
    const names = readdirSync(values.steps).filter((name) => !name.startsWith('.'))
    return readSteps(names.map((name) => ({ id: name, text: readFileSync(join(values.steps, name), 'utf8') })))
  } catch {
    // A file was replaced between listing and reading; the next update has the new one.
    return []
  }
}
