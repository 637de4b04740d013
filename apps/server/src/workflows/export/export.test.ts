import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Entry, Thread, ToolCallEntry } from '@threadbox/protocol/public'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { fenced } from './markdown.ts'

let server: TestApplication
let owner: TestPerson
let threadId: string
beforeAll(async () => {
  server = await makeTestApplication()
  owner = await server.signUpOwner()
  const response = await server.call('POST', '/api/v1/threads', {
    person: owner,
    body: { title: 'A/B "test"\u202e <b>' },
  })
  threadId = ((await response.json()) as Thread).id
  const blobs = makeDirectoryBlobStore(path.join(server.directory, 'blobs'))
  await blobs.put(`results/${threadId}/c2/display-0-0`, png)
  await blobs.put(`outputs/${threadId}/c1`, new TextEncoder().encode(`first line\n${'x'.repeat(300_000)}`))
  await server.areas.threads.log.append(
    threadId,
    conversation().map((entry) => ({ type: 'entry-added', entry })),
  )
})
afterAll(() => server[Symbol.asyncDispose]())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const hostile = '<script>document.title="owned"</script> <img src=x onerror=alert(1)> [go](javascript:alert(1))'

function call(id: string, values: Partial<ToolCallEntry>): ToolCallEntry {
  return {
    id,
    turnId: 'n1',
    at: 1,
    kind: 'tool-call',
    stepId: null,
    tool: 'run_command',
    input: {},
    status: 'succeeded',
    startedAt: 1,
    endedAt: 2,
    output: { tail: '', tailOffset: 0, sizeBytes: 0 },
    result: null,
    error: null,
    ...values,
  } as ToolCallEntry
}

function conversation(): Entry[] {
  const base = { turnId: 'n1', at: 1 }
  const url = `/api/v1/threads/${threadId}/results/c2/display-0-0`
  const displays = [
    { id: 'd1', items: [{ mediaType: 'image/png', url, sizeBytes: png.length }] },
    { id: 'd2', items: [{ mediaType: 'text/html', text: `<table></table>${hostile}`, sizeBytes: 9 }] },
    { id: 'd3', items: [{ mediaType: 'application/json', text: '{"a":1}', sizeBytes: 7 }] },
  ]
  return [
    {
      ...base,
      id: 'e1',
      kind: 'user-message',
      text: `${hostile}\n\n\`\`\`\nopen fence`,
      attachments: [],
      status: 'delivered',
    },
    {
      ...base,
      id: 'e2',
      kind: 'text',
      stepId: 'p1',
      text: `# Answer\n\n${hostile}\n\n| a |\n|---|\n| 1 |`,
      status: 'done',
    },
    call('c1', {
      input: { command: 'cat <<EOF\n```\nEOF' },
      status: 'failed',
      output: { tail: 'xxx', tailOffset: 300_008, sizeBytes: 300_011 },
      result: { kind: 'command', exitCode: 3, cwd: null },
    }),
    call('c2', {
      tool: 'run_python',
      input: { code: 'print("hi")\n1/0' },
      output: { tail: 'hi\n', tailOffset: 0, sizeBytes: 3 },
      result: { kind: 'python', displays, traceback: 'Traceback\nZeroDivisionError: division by zero' },
    }),
    call('c3', {
      tool: 'write_file',
      input: { path: 'notes/it\'s "here".txt', content: 'line\n"quoted" \\ \u2028 ü\n' },
      result: {
        kind: 'diff',
        path: 'x',
        isNew: true,
        addedLines: 2,
        removedLines: 0,
        diff: '+line',
        isTruncated: false,
      },
    }),
    call('c4', { tool: 'list_files', input: null, status: 'interrupted' }),
  ]
}

async function exported(format: string, person = owner): Promise<Response> {
  return await server.call('GET', `/api/v1/threads/${threadId}/export?format=${format}`, { person })
}

test('an export in an unknown format, of a missing thread or of another user’s thread is rejected', async () => {
  expect((await exported('pdf')).status).toBe(400)
  expect((await exported('html', await server.addPerson('other'))).status).toBe(404)
  const unknown = await server.call('GET', '/api/v1/threads/t-none/export?format=html', { person: owner })
  expect(unknown.status).toBe(404)
})

test('an export is always a download, under a name that every file system accepts', async () => {
  for (const [format, ending] of [
    ['markdown', 'md'],
    ['html', 'html'],
    ['notebook', 'ipynb'],
  ]) {
    const response = await exported(format ?? '')
    const disposition = response.headers.get('content-disposition') ?? ''
    expect(disposition).toContain(`attachment; filename="A B test b .${ending}"`.replace(' .', '.'))
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    await response.body?.cancel()
  }
})

test('the Markdown export contains the whole conversation, and nothing in it closes a block early', async () => {
  const text = await (await exported('markdown')).text()
  expect(text).toMatch(/^# A\/B/)
  expect(text).toContain('> open fence')
  expect(text).toContain('````bash\ncat <<EOF\n```\nEOF\n````')
  expect(text).toContain('first line')
  expect(text).toMatch(/\*\d+ more bytes of output aren’t included\.\*/)
  expect(text).toContain('*exit code 3*')
  expect(text).toContain('ZeroDivisionError: division by zero')
  expect(fenced('a `````` b', 'text').split('\n')[0]).toBe('```````text')
})

test('the HTML export contains its images, loads nothing, and shows what people and models wrote as text', async () => {
  const html = await (await exported('html')).text()
  expect(html).toContain(`src="data:image/png;base64,${png.toString('base64')}"`)
  expect(html).toContain("default-src 'none'")
  expect(html).not.toMatch(/<script|<img src=x|href="javascript|src="http/i)
  expect(html).toContain('<iframe sandbox title="Result" srcdoc="&lt;table&gt;')
  expect(html).toContain('<table>')
})

test('the notebook export is valid under Jupyter’s schema, and each cell does what was done', async () => {
  const notebook = (await (await exported('notebook')).json()) as { cells: Record<string, unknown>[] }
  const schema = JSON.parse(await readFile(path.join(import.meta.dirname, 'nbformat-4.5.schema.json'), 'utf8'))
  const checked = z.fromJSONSchema(schema)
  expect(checked.safeParse(notebook).error?.issues ?? []).toEqual([])
  expect(checked.safeParse({ ...notebook, cells: [{ cell_type: 'code' }] }).success).toBe(false)
  const cell = (id: string) => notebook.cells.find((candidate) => candidate.id === id)
  expect(cell('e1')).toMatchObject({ cell_type: 'markdown' })
  expect(cell('c1')).toMatchObject({
    cell_type: 'code',
    source: '%%bash\ncat <<EOF\n```\nEOF',
    metadata: { tags: ['raises-exception'] },
    execution_count: 1,
  })
  expect(cell('c2')).toMatchObject({
    source: 'print("hi")\n1/0',
    outputs: [
      { output_type: 'stream', name: 'stdout', text: 'hi\n' },
      { output_type: 'display_data', data: { 'image/png': png.toString('base64') } },
      { output_type: 'display_data', data: { 'text/html': expect.stringContaining('<table>') } },
      { output_type: 'display_data', data: { 'application/json': { a: 1 } } },
      { output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' },
    ],
  })
  expect(cell('c3')).toMatchObject({ source: expect.stringContaining(`_path = Path("notes/it's \\"here\\".txt")`) })
  expect(cell('c4')).toMatchObject({ cell_type: 'markdown', source: expect.stringContaining('interrupted') })
})
