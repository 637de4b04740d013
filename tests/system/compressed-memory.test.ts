import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { hostPaths } from '@threadbox/protocol/host'
import { boundaries } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootOf, heldBySandbox } from '../performance/cost/held-memory.ts'
import { cell, output } from '../stack/in-threads.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

/** Idle sandboxes of real gVisor whose memory the kernel of this machine compresses. */
const MiB = 2 ** 20
const mostHeldBytes = 50 * MiB
/** What was used last is left as it is, and the first memory in a device takes more of it. */
const mostHeldShare = 0.8
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({
    hostEnvironment: { THREADBOX_FREEZE_IDLE_SECONDS: '1', THREADBOX_COMPRESS_FROZEN: 'on' },
  })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

type Subject = { thread: TestThread; sandboxId: string }

/** A thread whose sandbox holds a word in a shell. */
async function holding(): Promise<Subject> {
  const before = await sandboxIdsOf(installation)
  const thread = await installation.newThread()
  await output(thread, 'word=kept; cd /tmp')
  const sandboxId = (await sandboxIdsOf(installation)).find((id) => !before.includes(id)) ?? ''
  return { thread, sandboxId }
}

async function expectKept({ thread }: Subject): Promise<void> {
  expect(await output(thread, 'echo $word $PWD')).toBe('kept /tmp\n')
}

/** A file of the cgroup of a sandbox’s memory, on either version; undefined if this one has none. */
async function cgroupFile({ sandboxId }: Subject, name: string): Promise<string | undefined> {
  const { host } = installation
  const boot = path.join(`threadbox-${host.installation}`, await bootOf(host, sandboxId), name)
  for (const mount of ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']) {
    const text = await readFile(path.join(mount, boot), 'utf8').catch(() => undefined)
    if (text !== undefined) return text.trim()
  }
  return undefined
}

async function swappedBytes(subject: Subject): Promise<number> {
  const total = await cgroupFile(subject, 'memory.swap.current')
  const stat = (await cgroupFile(subject, 'memory.stat')) ?? ''
  return Number(total ?? /^total_swap (\d+)$/m.exec(stat)?.[1] ?? 0)
}

/** Whether the kernel can swap what it holds: never but while it does so for this. */
async function isSwapForbidden(subject: Subject): Promise<boolean> {
  const value = (await cgroupFile(subject, 'memory.swap.max')) ?? (await cgroupFile(subject, 'memory.swappiness'))
  return value === '0'
}

/** Traces of the installation’s swap on this machine. */
const ownSwaps = async () => (await installation.host.leftovers()).filter((line) => line.startsWith('swap '))
const untilCompressed = async (subject: Subject, earlierBytes = 0) => {
  const least = earlierBytes + 5 * MiB
  await expect.poll(() => swappedBytes(subject), { timeout: 30_000, interval: 100 }).toBeGreaterThan(least)
  await expect.poll(() => isSwapForbidden(subject), { timeout: 10_000, interval: 50 }).toBe(true)
}

test('C4: memory of a sandbox that stays frozen is compressed to at most 50 MiB, and the next command finds what was in it', async () => {
  const subject = await holding()
  expect(await isSwapForbidden(subject)).toBe(true)
  const before = await heldBySandbox(installation.host, subject.sandboxId)
  await untilCompressed(subject)
  const after = await heldBySandbox(installation.host, subject.sandboxId)
  expect(after).toBeLessThan(before * mostHeldShare)
  expect(after).toBeLessThanOrEqual(mostHeldBytes)
  await expectKept(subject)
  expect(await isSwapForbidden(subject)).toBe(true)
  await cell(subject.thread, 'value = object(); number = id(value)')
  await untilCompressed(subject, await swappedBytes(subject))
  expect(await cell(subject.thread, 'print(id(value) == number)')).toBe('True')
  await installation.client.sandboxes.pause(subject.thread.id)
  await expectKept(subject)
  expect(await cell(subject.thread, 'print(id(value) == number)')).toBe('True')
})

const kills = boundaries({
  of: 'a sandbox whose memory is compressed',
  killed: 'host daemon',
  at: ['while memory is compressed', 'after it'],
})

test.each(kills)(
  'C5: a sandbox continues with its compressed memory after a kill of the host daemon %s, and the swap is used again',
  async (moment) => {
    const subject = await holding()
    if (moment === 'after it') await untilCompressed(subject)
    else await expect.poll(() => isSwapForbidden(subject), { timeout: 30_000, interval: 1 }).toBe(false)
    const before = await ownSwaps()
    await installation.host.kill('SIGKILL')
    await installation.host.restart()
    expect(await isSwapForbidden(subject)).toBe(true)
    await expectKept(subject)
    expect(await ownSwaps()).toEqual(before)
  },
)

test('C2: nothing is left of the swap after a stop, and it stays while a sandbox runs', async () => {
  const subject = await holding()
  await untilCompressed(subject)
  await installation.host.kill('SIGTERM')
  expect(await ownSwaps()).not.toEqual([])
  await installation.host.restart()
  await expectKept(subject)
  await installation.host.request('POST', hostPaths.shutdown(), { keepsMemory: true })
  await installation.host.kill('SIGTERM')
  expect(await ownSwaps()).toEqual([])
  await installation.host.restart()
  await expectKept(subject)
})
