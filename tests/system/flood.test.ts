import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'

/** Data that exceeds memory passes anyway: nothing is lost, and no process grows with it. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ serverEnvironment: { THREADBOX_LOG_LEVEL: 'info' } })
})
afterAll(() => installation[Symbol.asyncDispose]())

const MiB = 1024 * 1024
/** Each is more than a process can grow by. */
const printedMebibytes = repeats({ what: 'MiB that a command prints', byDefault: 400, full: 2000 })
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

test(`a command that prints ${printedMebibytes} MiB: all of it is kept for the user, server and host stay small`, {
  timeout: 600_000,
}, async () => {
  const thread = await installation.newThread()
  const lineBytes = 1024
  const lines = (printedMebibytes * MiB) / lineBytes
  const growth = await growthDuring(async () => {
    const { calls } = await thread.say(
      `/run python3 -c "import sys; [sys.stdout.write(f'{n:09d}' + 'x' * ${lineBytes - 10} + chr(10)) for n in range(${lines})]"`,
    )
    expect(calls[0]).toMatchObject({ status: 'succeeded', output: { sizeBytes: lines * lineBytes } })
    for (const line of [0, 234_567, lines - 1]) {
      const { text } = await installation.client.threads.output(thread.id, calls[0]?.id ?? '', {
        offset: line * lineBytes,
        limit: 9,
      })
      expect(Number(text)).toBe(line)
    }
  })
  expect(growth.server).toBeLessThan(growthLimitBytes)
  expect(growth.host).toBeLessThan(growthLimitBytes)
})

test(`a cell that prints ${cellLines} lines: each arrives once`, { timeout: 600_000 }, async () => {
  const thread = await installation.newThread()
  const { calls } = await thread.say(`/python for n in range(${cellLines}): print(n)`)
  const { text } = await installation.client.threads.output(thread.id, calls[0]?.id ?? '')
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(cellLines)
  expect(lines.every((line, index) => Number(line) === index)).toBe(true)
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
