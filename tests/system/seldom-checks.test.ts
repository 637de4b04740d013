import { setTimeout as delay } from 'node:timers/promises'
import { runs } from '@threadbox/protocol/guest'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxesMs } from '../performance/cost/processor-time.ts'

const MiB = 1024 * 1024
const limits = { memoryBytes: 512 * MiB, cpus: 2, processes: 128, diskBytes: 256 * MiB }
const watchedMs = 2_000
/** Checks at their usual pace take 14 ms and more in that time, seldom ones 2. */
const seldomMs = 8

let host: TestHost
let sandboxId: string
beforeAll(async () => {
  host = await startTestHost()
  sandboxId = host.newSandboxId()
  await host.request('PUT', hostPaths.get(sandboxId), { limits, egress: { kind: 'open' } })
  await host.request('POST', hostPaths.start(sandboxId), { bootId: host.newBootId(), hostname: 'box' })
  await host.run(sandboxId, 'true')
})
afterAll(() => host?.close())

/** Resolves when the only sandbox hardly uses the processor: its watchdogs check seldom. */
async function untilSeldom(): Promise<void> {
  const isSeldom = async () => {
    const before = await sandboxesMs(host.installation)
    await delay(watchedMs)
    return (await sandboxesMs(host.installation)) - before < seldomMs
  }
  await expect.poll(isSeldom, { timeout: 60_000, interval: 0 }).toBe(true)
}

test.each([
  ['takes all memory', `python3 -c "b = b'x' * (6 << 30)"`, runs.EndCause.OUT_OF_MEMORY, /python3/],
  ['starts processes without end', ':(){ :|:& };:', runs.EndCause.OUT_OF_PROCESSES, /× bash/],
])(
  'an idle sandbox whose watchdogs check seldom ends a program that %s, and says which',
  async (_what, command, cause, name) => {
    await untilSeldom()
    const result = await host.run(sandboxId, command, { timeoutMs: 45_000 })
    expect(result.cause).toBe(cause)
    expect(result.message).toMatch(name)
    expect(await host.run(sandboxId, 'echo alive')).toMatchObject({ output: 'alive\n' })
  },
  120_000,
)
