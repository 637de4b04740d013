import type { Entry, ThreadEvent } from '@threadbox/sdk'
import { call, pages, text, turn, user } from './recorded-entries.ts'
import { detailOf, lifecyclePages, reports } from './recorded-lifecycle.ts'
import { settings } from './recorded-settings.ts'
import { threads } from './recorded-threads.ts'

const models = [
  {
    id: 'm1',
    name: 'Claude Sonnet 4.5',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    contextTokens: 200_000,
    isDefault: true,
  },
  { id: 'm2', name: 'Qwen 3', provider: 'ollama', model: 'qwen3', contextTokens: 32_000, isDefault: false },
]

/** Responds to a request of the app from recorded data. */
export function answer(request: Request): Response {
  const { pathname, searchParams } = new URL(request.url)
  const path = pathname.replace('/api/v1', '')
  const threadId = /^\/threads\/([^/]+)/.exec(path)?.[1] ?? ''
  if (path === '/me') return Response.json({ id: 'u', name: 'Owner', email: 'owner@example.org', isOwner: true })
  if (path === '/models') return Response.json({ models: searchParams.has('none') ? [] : models })
  if (path === '/threads' && request.method === 'GET') return Response.json({ threads, next: null })
  if (path === '/status')
    return Response.json({
      version: '0.1.0',
      checks: [],
      hasModel: true,
      host: {
        isReachable: true,
        memoryTotalBytes: 16e9,
        memoryUsedBytes: 5.2e9,
        poolTotalBytes: 1,
        poolUsedBytes: 0,
        awakeSandboxes: 3,
      },
    })
  if (path === '/settings') return Response.json(settings)
  if (path === '/events') return stream([])
  if (path.includes('/sandbox')) return answerSandbox(path, threadId)
  if (path.endsWith('/entries'))
    return Response.json(
      pages[threadId] ?? lifecyclePages[threadId] ?? { entries: [], turns: [], lastSeq: 0, before: null },
    )
  if (path.endsWith('/events')) return stream(threadId === 'live' ? liveEvents() : [])
  if (request.method === 'GET' && threadId !== '')
    return Response.json(threads.find(({ id }) => id === threadId) ?? threads[0])
  if (path.includes('/outputs/'))
    return new Response('the whole output\n', { headers: { 'threadbox-output-size': '17' } })
  return new Response(null, { status: 204 })
}

/** The requests of the sandbox panel; actions change nothing here. */
function answerSandbox(path: string, threadId: string): Response {
  const report = /\/reports\/([^/]+)$/.exec(path)?.[1]
  if (report !== undefined) return Response.json(reports[report])
  if (path.endsWith('/start')) return Response.json({})
  const sandbox = threads.find(({ id }) => id === threadId)?.sandbox
  return sandbox === undefined ? new Response(null, { status: 404 }) : Response.json(detailOf(sandbox))
}

function liveEvents(): ThreadEvent[] {
  let seq = 0
  const answerText =
    'Here is what I found.\n\n- It **streams** word by word\n- with `code` and a table\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint("hello")\n```\n'.repeat(
      4,
    )
  const running = turn('l1', { status: 'running', endedAt: null, startedAt: Date.now(), usage: null })
  const command = call('l3', 'l1', {
    status: 'running',
    endedAt: null,
    startedAt: Date.now(),
    input: { command: 'uv pip install polars' },
    result: null,
  })
  const added = (entry: Entry): ThreadEvent => ({ type: 'entry-added', seq: ++seq, entry })
  let output = ''
  const words = answerText.split(/(?<= )/)
  let offset = 0
  return [
    { type: 'turn-updated', seq: ++seq, turn: running },
    added(user('l2', 'l1', 'Install polars and show me something.')),
    added(command),
    ...Array.from({ length: 30 }, (_, line): ThreadEvent => {
      const piece = `Downloading part ${line + 1} of 30\n`
      const event = {
        type: 'output-appended' as const,
        entryId: 'l3',
        offset: output.length,
        text: piece,
        sizeBytes: output.length + piece.length,
      }
      output += piece
      return event
    }),
    {
      type: 'entry-updated',
      seq: ++seq,
      entry: {
        ...command,
        status: 'succeeded',
        endedAt: Date.now() + 6000,
        result: { kind: 'command', exitCode: 0, cwd: '/home/user' },
        output: { tail: output, tailOffset: 0, sizeBytes: output.length },
      },
    },
    added(text('l4', 'l1', '', { status: 'streaming' })),
    ...words.map((word): ThreadEvent => {
      const event = { type: 'text-appended' as const, seq: ++seq, entryId: 'l4', offset, text: word }
      offset += word.length
      return event
    }),
    { type: 'entry-updated', seq: ++seq, entry: text('l4', 'l1', answerText) },
    { type: 'turn-updated', seq: ++seq, turn: { ...running, status: 'finished', endedAt: Date.now() + 20_000 } },
  ]
}

/** Sends the events one by one, as a model would, and keeps the stream open. */
function stream(events: readonly ThreadEvent[]): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    start: (controller) => {
      let next = 0
      controller.enqueue(encoder.encode(': open\n\n'))
      const timer = setInterval(() => {
        const event = events[next]
        next += 1
        if (event === undefined) return clearInterval(timer)
        const id = 'seq' in event ? `id: ${event.seq}\n` : ''
        controller.enqueue(encoder.encode(`${id}data: ${JSON.stringify(event)}\n\n`))
      }, 60)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
