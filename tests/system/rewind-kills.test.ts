import { setTimeout as delay } from 'node:timers/promises'
import { repeats, seeded } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HeldAnswers, startHeldAnswers } from '../stack/held-answers.ts'
import { output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

let installation: TestInstallation
let held: HeldAnswers
beforeAll(async () => {
  installation = await startInstallation({
    memorySnapshots: 6,
    between: async (host) => {
      held = await startHeldAnswers(host)
      return held
    },
  })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const kills = repeats({
  what: 'kills of the server, and of the host daemon, at any moment of a rewind',
  byDefault: 2,
  full: 20,
})
const pollOptions = { timeout: 120_000, interval: 100 }

const messages = async (thread: TestThread) => (await thread.entries()).filter(({ kind }) => kind === 'user-message')
const notices = async (thread: TestThread) =>
  (await thread.entries()).flatMap((entry) => (entry.kind === 'notice' && entry.code === 'rewound' ? [entry] : []))

/** A thread whose note says `first` before its second message, and `second` after it; on the disk, and in memory. */
async function begin(): Promise<{ thread: TestThread; target: string }> {
  const thread = await installation.newThread()
  await output(thread, 'echo first | tee /home/user/note > /dev/shm/note')
  await output(thread, 'echo second | tee /home/user/note > /dev/shm/note')
  return { thread, target: (await messages(thread))[1]?.id ?? '' }
}

async function crashServer(): Promise<void> {
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
}

/** Read through the API, because a command would be one more message. */
const noteOf = (thread: TestThread) =>
  installation.client.files.read(thread.id, '/home/user/note').then((answer) => answer.text(), String)

/** The note in memory; undefined after a cold start. */
const memoryOf = (thread: TestThread) =>
  installation.client.files.read(thread.id, '/dev/shm/note').then(
    (answer) => answer.text(),
    (error: { code?: string }) => {
      if (error.code !== 'file.not-found') throw error
    },
  )

/** Null if the thread can be rewound. */
async function problemOf({ thread, target }: { thread: TestThread; target: string }): Promise<string | null> {
  const preview = installation.client.threads.previewRewind(thread.id, target)
  return await preview.then(
    ({ problem }) => problem,
    (error: { code?: string }) => error.code ?? String(error),
  )
}

/** Kills the server after the host has executed the order and before the server gets the response. */
async function cutOff(order: () => Promise<unknown>): Promise<void> {
  const answered = held.holdNext(/^POST \/v1\/sandboxes\/[^/]+\/rewind /)
  const asked = order().catch(() => undefined)
  await answered
  await crashServer()
  await asked
}

test('C2 C9: a rewind, and its undo, whose server is killed after the disk was replaced are finished, once', async () => {
  const { thread, target } = await begin()
  const { threads } = installation.client
  const before = await thread.entries()
  await cutOff(() => threads.rewind(thread.id, target))
  await expect.poll(() => notices(thread), pollOptions).toHaveLength(1)
  expect(await messages(thread)).toHaveLength(1)
  const rewindId = String((await notices(thread))[0]?.params.rewindId)
  expect(await memoryOf(thread)).toBe('first\n')

  await cutOff(() => threads.undoRewind(thread.id, rewindId))
  await expect.poll(() => notices(thread), pollOptions).toHaveLength(0)
  expect((await thread.entries()).slice(0, before.length)).toEqual(before)
  expect(await output(thread, 'cat /home/user/note /dev/shm/note')).toBe('second\nsecond\n')

  const again = (await messages(thread))[1]?.id ?? ''
  await threads.rewind(thread.id, again)
  expect(await output(thread, 'cat /home/user/note')).toBe('first\n')
})

test.each([
  ['server', crashServer],
  ['host daemon', () => installation.host.kill('SIGKILL').then(() => installation.host.restart())],
] as const)(
  'C2 C9: with the %s killed at any moment of a rewind, conversation, disk and memory are of one moment',
  async (_, crash) => {
    const { thread, target } = await begin()
    const { threads } = installation.client
    const random = seeded('kills in a rewind')
    let rewinds = 0
    for (let round = 0; round < kills; round++) {
      const asked = threads.rewind(thread.id, target).catch(() => undefined)
      await delay(random.between(0, 600))
      await crash()
      await asked
      await expect.poll(() => problemOf({ thread, target }), pollOptions).toBeOneOf([null, 'rewind.message-not-found'])
      const [notice] = await notices(thread)
      expect(await messages(thread)).toHaveLength(notice === undefined ? 2 : 1)
      await expect.poll(() => noteOf(thread), pollOptions).toBe(notice === undefined ? 'second\n' : 'first\n')
      expect(await memoryOf(thread)).toBeOneOf([await noteOf(thread), undefined])
      if (notice === undefined) continue
      rewinds += 1
      await threads.undoRewind(thread.id, String(notice.params.rewindId))
    }
    console.log(`${rewinds} of ${kills} rewinds were made`)
    expect(await output(thread, 'cat /home/user/note')).toBe('second\n')
  },
)
