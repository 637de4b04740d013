import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolCallEntry } from '@threadbox/protocol/public'
import type { RecordedMessage } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openKeptOutput } from '../../threads/attachments/kept-output.ts'
import { outputKey } from '../../threads/attachments/stored-output.ts'
import { makeTestBench, type TestBench } from '../engine/turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

type Done = { entry: ToolCallEntry; result: RecordedMessage['results'][number] }

/** Lets a scripted model make one call, and returns the card and the model's result. */
async function use(name: string, input: unknown): Promise<Done> {
  if ((await bench.dependencies.models.list()).length === 0) await bench.connect()
  const before = bench.model.requests.length
  bench.model.reply({ calls: [{ name, input }] }, { text: 'ok' })
  await bench.say(`use ${name}`)
  const entries = await bench.entries()
  const entry = entries.findLast((candidate) => candidate.kind === 'tool-call')
  const result = bench.model.requests[before + 1]?.messages.at(-1)?.results[0]
  if (entry?.kind !== 'tool-call' || result === undefined) throw new Error('no call was made')
  return { entry, result }
}
const inHome = (path: string) => join(bench.sandbox.directory, path)
const put = async (path: string, content: string | Uint8Array) => {
  await mkdir(join(inHome(path), '..'), { recursive: true })
  await writeFile(inHome(path), content)
}
/** The smallest possible PNG: one transparent pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const blobText = async (url: string) => {
  const key = `results/${url.split('/').slice(4).join('/').replace('/results/', '/')}`
  const blob = await bench.dependencies.blobs.get(key)
  return blob === undefined ? undefined : Buffer.from(await new Response(blob.stream).arrayBuffer())
}

describe('read_file', () => {
  it('refuses what does not exist, folders and binary files, and suggests what to do instead', async () => {
    await put('data.bin', new Uint8Array([0, 1, 2, 255]))
    await put('folder/x', 'x')
    expect((await use('read_file', { path: 'none.txt' })).entry.error?.code).toBe('file.not-found')
    expect((await use('read_file', { path: 'folder' })).entry.error?.code).toBe('file.is-directory')
    const binary = await use('read_file', { path: 'data.bin' })
    expect(binary.entry).toMatchObject({ status: 'failed', error: { code: 'file.is-binary' } })
    expect(binary.result).toMatchObject({ isError: true })
    expect(binary.result.text).toContain('view_image')
  })

  it('returns a range of lines and says how much more there is', async () => {
    await put('numbers.txt', Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join(''))
    const { result } = await use('read_file', { path: '~/numbers.txt', first_line: 98 })
    expect(result.text).toBe('line 98\nline 99\nline 100\n[/home/user/numbers.txt: lines 98 to 100 of 100]')
    const first = await use('read_file', { path: 'numbers.txt', line_count: 2 })
    expect(first.result.text).toContain('lines 1 to 2 of 100; more lines follow')
    const beyond = await use('read_file', { path: 'numbers.txt', first_line: 200 })
    expect(beyond.result.text).toContain('the file has only 100 lines')
  })

  it('ends a long result at a line and says where to continue', async () => {
    bench.dependencies.settings.toolOutputCharacters = 600
    await put('long.txt', 'abcdefghi\n'.repeat(1000))
    const { result } = await use('read_file', { path: 'long.txt' })
    expect(result.text).toContain('lines 1 to 60 of 1000; more lines follow')
  })
})

describe('write_file and edit_file', () => {
  it('show a diff card and change exactly the given text', async () => {
    const written = await use('write_file', { path: 'app/main.py', content: 'a = 1\nb = 2\n' })
    expect(written.entry.result).toMatchObject({ kind: 'diff', isNew: true, addedLines: 2, removedLines: 0 })
    const edited = await use('edit_file', { path: 'app/main.py', old_text: 'b = 2', new_text: 'b = 3\nc = 4' })
    expect(edited.entry.result).toMatchObject({
      kind: 'diff',
      path: '/home/user/app/main.py',
      addedLines: 2,
      removedLines: 1,
    })
    expect(edited.entry.result).toMatchObject({ diff: expect.stringContaining('-b = 2\n+b = 3\n+c = 4') })
    expect(await readFile(inHome('app/main.py'), 'utf8')).toBe('a = 1\nb = 3\nc = 4\n')
  })

  it('refuse an edit that does not match, and point at the probable place', async () => {
    await put('a.txt', 'def f():\n    return 1\n\ndef g():\n    return 1\n')
    const missing = await use('edit_file', { path: 'a.txt', old_text: 'def f():\n  return 1', new_text: 'x' })
    expect(missing.entry.error).toMatchObject({ code: 'edit.text-not-found' })
    expect(missing.result.text).toContain('different whitespace starts at line 1')
    const twice = await use('edit_file', { path: 'a.txt', old_text: 'return 1', new_text: 'return 2' })
    expect(twice.result.text).toContain('occurs 2 times')
    expect(twice.result.text).toContain('lines 2, 5')
    const everywhere = { path: 'a.txt', old_text: 'return 1', new_text: 'return 2', replace_all: true }
    expect((await use('edit_file', everywhere)).entry.status).toBe('succeeded')
    expect((await use('edit_file', { path: 'none', old_text: 'a', new_text: 'b' })).entry.error?.code).toBe(
      'file.not-found',
    )
  })

  it('keep the line ends of a Windows file', async () => {
    await put('win.txt', 'one\r\ntwo\r\n')
    await use('edit_file', { path: 'win.txt', old_text: 'one\ntwo', new_text: '1\n2' })
    expect(await readFile(inHome('win.txt'), 'utf8')).toBe('1\r\n2\r\n')
  })

  it('make several edits of one file in one step one after another', async () => {
    await bench.connect()
    await put('list.txt', 'a\nb\nc\n')
    const edits = ['a', 'b', 'c'].map((letter) => ({
      name: 'edit_file',
      input: { path: 'list.txt', old_text: `${letter}\n`, new_text: `${letter.toUpperCase()}\n` },
    }))
    bench.model.reply({ calls: edits }, { text: 'ok' })
    await bench.say('Capitals')
    expect(await readFile(inHome('list.txt'), 'utf8')).toBe('A\nB\nC\n')
  })
})

describe('finding things', () => {
  it('list_files shows folders with a slash and reports a missing folder', async () => {
    await put('src/index.ts', 'x')
    await put('readme.md', 'x')
    expect((await use('list_files', {})).result.text).toBe('/home/user:\nreadme.md  0 B\nsrc/')
    expect((await use('list_files', { path: 'nope' })).entry.error?.code).toBe('file.not-found')
  })
})

describe('files for users and images', () => {
  it('G8: a shared file is a copy that the card keeps, byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
    await put('out/data.bin', bytes)
    const { entry, result } = await use('share_file', { path: 'out/data.bin', caption: 'The data' })
    expect(entry.result).toMatchObject({ kind: 'file', name: 'data.bin', sizeBytes: 70_000, caption: 'The data' })
    await put('out/data.bin', 'changed')
    expect(await blobText((entry.result as { url: string }).url)).toEqual(bytes)
    expect(result.text).toContain('data.bin')
    expect((await use('share_file', { path: 'none.pdf' })).entry.error?.code).toBe('file.not-found')
  })

  it.each(['anthropic', 'google'] as const)('view_image reaches %s with the result', async (provider) => {
    await bench.connect({ provider })
    await put('p.png', png)
    const { result, entry } = await use('view_image', { path: 'p.png' })
    expect(result.images + (bench.model.requests[1]?.messages.at(-1)?.images.length ?? 0)).toBe(1)
    expect(entry.result).toMatchObject({ kind: 'image', mediaType: 'image/png', sizeBytes: png.length })
  })

  it('view_image reaches OpenAI in a separate message, never as base64 text', async () => {
    await bench.connect({ provider: 'openai' })
    await put('p.png', png)
    bench.model.reply({ calls: [{ name: 'view_image', input: { path: 'p.png' } }] }, { text: 'A dot.' })
    await bench.say('Look')
    const messages = bench.model.requests[1]?.messages ?? []
    expect(messages.at(-1)).toMatchObject({ role: 'user', images: ['image/png'] })
    expect(messages.at(-2)?.results[0]?.text).not.toContain('iVBOR')
  })

  it('view_image refuses a file that is not an image', async () => {
    await put('fake.png', 'not a picture')
    expect((await use('view_image', { path: 'fake.png' })).entry.error?.code).toBe('image.not-shown')
  })

  it('an attached image reaches the model as an image, another file by its path', async () => {
    await bench.connect()
    const { attachmentKey } = await import('../../threads/attachments/blob-keys.ts')
    const base = { sizeBytes: png.length, path: '/home/user/uploads/p.png' }
    bench.attachments.set('a1', { id: 'a1', name: 'p.png', mediaType: 'image/png', ...base })
    bench.attachments.set('a2', {
      id: 'a2',
      name: 's.csv',
      mediaType: 'text/csv',
      sizeBytes: 9,
      path: '/home/user/uploads/s.csv',
    })
    await bench.dependencies.blobs.put(attachmentKey(bench.threadId, 'a1'), png)
    bench.model.reply({ text: 'A dot and a table.' })
    const message = { text: 'What are these?', attachmentIds: ['a1', 'a2'], key: 'with-files' }
    await bench.turns.send(bench.threadId, message)
    await bench.turns.settled(bench.threadId)
    expect(bench.model.requests[0]?.messages[0]).toMatchObject({ images: ['image/png'] })
    expect(bench.model.requests[0]?.messages[0]?.text).toContain('/home/user/uploads/s.csv (text/csv, 9 B)')
  })
})

describe('a flood of output', () => {
  it('is complete for the user; the model gets its head, its tail and the path of the rest', async () => {
    const { entry, result } = await use('run_command', { command: 'seq 1 200000' })
    expect(entry.output.sizeBytes).toBe(1_288_895)
    expect(entry.output.tail.endsWith('199999\n200000\n')).toBe(true)
    expect(entry.output.tail.length).toBeLessThanOrEqual(16 * 1024)
    expect(result.text.startsWith('1\n2\n3\n')).toBe(true)
    expect(result.text).toContain('199999\n200000')
    expect(result.text.length).toBeLessThan(13_000)
    const path = /\/home\/user\/(\.threadbox\/outputs\/\w+\.txt)/.exec(result.text)?.[1] ?? ''
    const saved = (await readFile(inHome(path), 'utf8')).trimEnd().split('\n')
    expect(saved).toHaveLength(200_000)
    expect(saved.at(-1)).toBe('200000')
  })

  it('over the limit states what was written and kept exactly, to the user and to the model', async () => {
    Object.assign(bench.dependencies.settings, { keptOutputHeadMebibytes: 1, keptOutputTailMebibytes: 1 })
    const { result, entry } = await use('run_command', { command: 'seq 1 1000000' })
    const written = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => `${index + 1}\n`).join(''))
    const { kept, sizeBytes } = entry.output
    expect({ status: entry.status, sizeBytes }).toEqual({ status: 'succeeded', sizeBytes: written.length })
    expect(kept).toMatchObject({ headBytes: 1024 * 1024, limit: 'call' })
    const { headBytes = 0, tailFrom = 0 } = kept ?? {}
    const { blobs, store } = bench.dependencies
    const key = outputKey({ threadId: bench.threadId, id: entry.id })
    const bytes = Buffer.from(await new Response((await openKeptOutput(blobs, key)).content).arrayBuffer())
    const line = Buffer.from(`\n[${tailFrom - headBytes} bytes not kept]\n`)
    expect(
      Buffer.concat([written.subarray(0, headBytes), line, written.subarray(tailFrom)]).equals(Buffer.from(bytes)),
    ).toBe(true)
    expect(await store.call(bench.threadId, entry.id)).toMatchObject({
      outputBytes: written.length,
      keptOutputBytes: headBytes + written.length - tailFrom,
    })
    expect(result.text.startsWith('1\n2\n3\n')).toBe(true)
    expect(result.text).toContain('999999\n1000000\n')
    expect(result.text).toContain(
      `wrote ${sizeBytes} bytes. The first ${headBytes} and the last ${sizeBytes - tailFrom} were kept for the user; ${tailFrom - headBytes} bytes`,
    )
  })

  it('is kept less of when the thread has reached its limit, and the card names that limit', async () => {
    Object.assign(bench.dependencies.settings, { keptOutputThreadMebibytes: 1 })
    const first = await use('run_command', { command: 'seq 1 400000' })
    expect(first.entry.output.kept).toMatchObject({ limit: 'thread' })
    const second = await use('run_command', { command: 'seq 1 400000' })
    expect(second.entry.output.kept?.limit).toBe('thread')
    const small = await use('run_command', { command: 'echo small' })
    expect(small.entry.output).toEqual({ tail: 'small\n', tailOffset: 0, sizeBytes: 6 })
    const keptBytes = await bench.dependencies.store.keptOutputBytes(bench.threadId, 'none')
    expect(keptBytes).toBeLessThanOrEqual(1.125 * 1024 * 1024 + 64 * 1024)
  })

  it('is not saved beyond the configured size, and the model gets a note', async () => {
    bench.dependencies.settings.savedOutputMebibytes = 0
    const { result } = await use('run_command', { command: 'seq 1 20000' })
    expect(result.text).toContain('was not saved in the sandbox')
  })

  it('terminal colors and progress bars do not reach the model', async () => {
    const { result, entry } = await use('run_command', {
      command: "printf '10%%\\r50%%\\r100%%\\n\\033[31mred\\033[0m\\n'",
    })
    expect(result.text.startsWith('100%\nred\n')).toBe(true)
    expect(entry.output.tail).toContain('\u001b[31mred')
  })
})
