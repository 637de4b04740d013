import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolCallEntry } from '@threadbox/sdk'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'

/** Data that exceeds memory passes anyway: it is kept as promised, and no process grows with it. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ serverEnvironment: { THREADBOX_LOG_LEVEL: 'info' } })
})
afterAll(() => installation[Symbol.asyncDispose]())

const MiB = 1024 * 1024
const printedSeconds = repeats({ what: 'seconds for which three threads print', byDefault: 5, full: 60 })
/** More than a process can grow by. */
const sentMebibytes = repeats({ what: 'MiB of a file that is sent and fetched', byDefault: 400, full: 1000 })
const cellLines = repeats({ what: 'lines that a cell prints', byDefault: 200_000, full: 1_000_000 })
/** Growth limit of a process, whatever passes through it. Node keeps freed pages for a while. */
const growthLimitBytes = 350 * MiB

/** The largest memory of server and host while `work` runs, in bytes above their starting values. */
async function growthDuring(work: () => Promise<void>): Promise<Record<'server' | 'host', number>> {
  const pids = { server: installation.server.pid(), host: installation.host.pid() }
  const before = { server: await residentBytes(pids.server), host: await residentBytes(pids.host) }
  const peak = { ...before }
  const watch = setInterval(async () => {
    for (const name of ['server', 'host'] as const) peak[name] = Math.max(peak[name], await residentBytes(pids[name]))
  }, 100)
  await work().finally(() => clearInterval(watch))
  const growth = { server: peak.server - before.server, host: peak.host - before.host }
  console.log(`growth: server ${Math.round(growth.server / MiB)} MiB, host ${Math.round(growth.host / MiB)} MiB`)
  return growth
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

const lineBytes = 1024
const headBytes = 48 * MiB
const tailBytes = 16 * MiB
/** Each of three threads writes more than is kept, so that the limit decides. */
const leastLines = (120 * MiB) / lineBytes

/** Prints numbered lines at full speed and writes their number to a file. */
const printLines = [
  'import sys, time',
  `end = time.monotonic() + ${printedSeconds}; n = 0`,
  `while n < ${leastLines} or time.monotonic() < end:`,
  `  sys.stdout.write(''.join(f'{i:09d}' + 'x' * ${lineBytes - 10} + chr(10) for i in range(n, n + 64))); n += 64`,
  "sys.stdout.flush(); open('/home/user/count', 'w').write(str(n))",
].join('\n')

/** The bytes that {@link printLines} writes from one offset up to another. */
function linesBetween(from: number, to: number): Buffer {
  const first = Math.floor(from / lineBytes)
  const numbers = Array.from({ length: Math.ceil(to / lineBytes) - first }, (_, index) => first + index)
  const lines = numbers.map((line) => `${String(line).padStart(9, '0')}${'x'.repeat(lineBytes - 10)}\n`)
  return Buffer.from(lines.join('')).subarray(from - first * lineBytes, to - first * lineBytes)
}

async function storedBytes(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true })
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name)).catch(() => ({ size: 0 }))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function download(url: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${installation.server.apiKey}` } })
}

/** Of the program itself, which nothing on the way can change. */
async function writtenBytes(threadId: string): Promise<number> {
  const counted = await installation.client.files.read(threadId, '/home/user/count')
  return Number(await counted.text()) * lineBytes
}

test(`C9: three threads print for ${printedSeconds} s: head and tail are exact, and the server’s data stays within the limit`, {
  timeout: 600_000,
}, async () => {
  const threads = await Promise.all(Array.from({ length: 3 }, () => installation.newThread()))
  const { client } = installation
  for (const thread of threads) await client.files.write(thread.id, '/home/user/print.py', new Blob([printLines]))
  const before = await storedBytes(installation.server.directory)
  const calls: ToolCallEntry[] = []
  const growth = await growthDuring(async () => {
    const said = await Promise.all(threads.map((thread) => thread.say('/run python3 print.py')))
    calls.push(...said.flatMap((one) => one.calls))
  })
  const stored = (await storedBytes(installation.server.directory)) - before
  console.log(`${calls.map(({ output }) => output.sizeBytes).join(', ')} bytes printed, ${stored} stored`)
  expect(stored).toBeLessThanOrEqual(threads.length * (headBytes + tailBytes) * 1.1)
  expect(growth.server).toBeLessThan(growthLimitBytes)
  expect(growth.host).toBeLessThan(growthLimitBytes)
  for (const [index, { id: threadId }] of threads.entries()) {
    const call = calls[index] ?? expect.unreachable()
    const { sizeBytes, kept } = call.output
    expect({ status: call.status, sizeBytes }).toEqual({ status: 'succeeded', sizeBytes: await writtenBytes(threadId) })
    const tailFrom = kept?.tailFrom ?? 0
    expect(kept).toEqual({ headBytes, tailFrom, limit: 'call' })
    expect(sizeBytes - tailFrom).toBeGreaterThanOrEqual(tailBytes)
    const line = Buffer.from(`\n[${tailFrom - headBytes} bytes not kept]\n`)
    const expected = Buffer.concat([linesBetween(0, headBytes), line, linesBetween(tailFrom, sizeBytes)])
    const downloaded = await download(client.threads.outputUrl(threadId, call.id))
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(expected)).toBe(true)
    await expect(client.threads.output(threadId, call.id, { offset: headBytes, limit: 9 })).rejects.toMatchObject({
      code: 'output.not-kept',
      details: { from: headBytes, to: tailFrom },
    })
    const exported = await download(client.threads.exportUrl(threadId, 'markdown'))
    expect(await exported.text()).toContain(`${tailFrom - headBytes} of them weren’t kept.`)
  }
})

test('a command that prints without end is stopped, and the conversation reads the same after a restart', {
  timeout: 120_000,
}, async () => {
  const thread = await installation.newThread()
  const { client } = installation
  let isStopping = false
  const { calls } = await thread.say('/run yes', {
    onEvent: (event) => {
      if (event.type !== 'output-appended' || event.sizeBytes < MiB || isStopping) return
      isStopping = true
      void client.threads.stop(thread.id)
    },
  })
  expect(calls[0]).toMatchObject({ status: 'stopped' })
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
  const [call] = (await thread.entries()).filter((entry) => entry.kind === 'tool-call')
  expect(call).toEqual(calls[0])
  const { text, sizeBytes } = await client.threads.output(thread.id, calls[0]?.id ?? '', { offset: 0, limit: 6 })
  expect({ text, sizeBytes }).toEqual({ text: 'y\ny\ny\n', sizeBytes: calls[0]?.output.sizeBytes })
})

test(`a cell that prints ${cellLines} lines: each arrives once`, { timeout: 600_000 }, async () => {
  const thread = await installation.newThread()
  const { calls } = await thread.say(`/python for n in range(${cellLines}): print(n)`)
  const { text } = await installation.client.threads.output(thread.id, calls[0]?.id ?? '')
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(cellLines)
  expect(lines.every((line, index) => Number(line) === index)).toBe(true)
})

test('C9: rich results and an error of any length: what exceeds a limit is named, the rest is kept', {
  timeout: 120_000,
}, async () => {
  const thread = await installation.newThread()
  const code = [
    'from IPython.display import HTML, display',
    "display(HTML('x' * 16_000_000))",
    'for n in range(1010): display(n)',
    "raise ValueError('y' * 5_000_000)",
  ].join('\n')
  const { calls } = await thread.say(`/python ${code}`)
  const { result, output, status } = calls[0] ?? expect.unreachable()
  if (result?.kind !== 'python') return expect.unreachable()
  expect(status).toBe('failed')
  expect(output.tail).toMatch(/^\[a rich result of 160\d{5} bytes was omitted: the limit is 15728640\]\n$/)
  const texts = result.displays.map(({ items }) => items[0]?.text)
  expect(texts.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, n) => String(n)))
  expect(texts.slice(1000)).toEqual(['[10 more rich results were omitted: a cell can have 1000]'])
  expect(result.traceback).toMatch(/^-+\nValueError [\s\S]*y\n\[\d+ characters omitted\]\ny[\s\S]*y\s*$/)
  expect(result.traceback?.length).toBeLessThan(300_000)
})

test(`${sentMebibytes} MiB up and down: identical bytes, server and host stay small`, {
  timeout: 600_000,
}, async () => {
  const thread = await installation.newThread()
  const chunk = randomBytes(MiB)
  const chunks = sentMebibytes
  const sent = createHash('sha256')
  for (let index = 0; index < chunks; index++) sent.update(chunk)
  const growth = await growthDuring(async () => {
    let left = chunks
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (left-- > 0) controller.enqueue(new Uint8Array(chunk))
        else controller.close()
      },
    })
    await installation.client.files.write(thread.id, '/home/user/large.bin', body)
    const received = createHash('sha256')
    const answer = await installation.client.files.read(thread.id, '/home/user/large.bin')
    for await (const part of answer.body ?? []) received.update(part)
    expect(received.digest('hex')).toBe(sent.digest('hex'))
  })
  expect(growth.server).toBeLessThan(growthLimitBytes)
  expect(growth.host).toBeLessThan(growthLimitBytes)
})
