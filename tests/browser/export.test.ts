import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { htmlOf } from '../../apps/server/src/workflows/export/html.ts'
import { startBrowser } from './app-in-browser.ts'

/** The effect of each of these if it ran: set the title, or request `/seen`. */
const hostile = [
  '<script>document.title = "owned"; fetch("/seen")</script>',
  '<img src="/seen" onerror="document.title=\'owned\'">',
  '<svg onload="document.title=\'owned\'"></svg>',
  '![picture](/seen)',
  '[link](javascript:document.title="owned")',
  '<meta http-equiv="refresh" content="0;url=/seen">',
  '<iframe src="/seen"></iframe><base href="/seen"><style>body{background:url(/seen)}</style>',
  '</title></div></main><script>document.title = "owned"</script>',
].join('\n\n')

async function page(): Promise<string> {
  const base = { turnId: 'n1', at: 1 }
  const display = (mediaType: string) => ({ id: mediaType, items: [{ mediaType, text: hostile, sizeBytes: 1 }] })
  const displays = ['text/html', 'image/svg+xml', 'text/plain'].map(display)
  const call = {
    ...base,
    id: 'c1',
    kind: 'tool-call',
    stepId: null,
    tool: 'run_python',
    input: { code: hostile },
  } as const
  const output = { tail: hostile, tailOffset: 0, sizeBytes: hostile.length }
  const end = { status: 'succeeded', startedAt: 1, endedAt: 1, error: null } as const
  const source = { threadId: 't', blobs: undefined as never }
  const pieces = htmlOf(source, {
    title: `Title ${hostile}`,
    entries: [
      { ...base, id: 'e1', kind: 'user-message', text: hostile, attachments: [], status: 'delivered' },
      { ...base, id: 'e2', kind: 'text', stepId: 'p1', text: `**bold**\n\n${hostile}`, status: 'done' },
      { ...call, ...end, output, result: { kind: 'python', displays, traceback: hostile } },
    ],
  })
  let html = ''
  for await (const piece of pieces) html += piece
  return html
}

test('an exported page shows its text, runs none of it and loads nothing', async () => {
  const asked: string[] = []
  const html = await page()
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    await using started = await startBrowser({ port })
    const opened = await started.browser.newPage()
    await opened.goto(`http://127.0.0.1:${port}/export`, { waitUntil: 'networkidle' })
    await opened.locator('strong', { hasText: 'bold' }).waitFor()
    await opened.getByText('[link]', { exact: false }).first().waitFor()
    await opened.getByText('link', { exact: true }).click()
    expect(await opened.title()).toContain('Title <script>')
    expect(opened.url()).toBe(`http://127.0.0.1:${port}/export`)
    // A link that would have run a script leads to an empty address, which is the page again.
    expect([...new Set(asked.filter((url) => url !== '/favicon.ico'))]).toEqual(['/export'])
    expect(await opened.locator('script').count()).toBe(0)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
