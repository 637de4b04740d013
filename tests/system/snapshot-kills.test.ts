import { hostPaths } from '@threadbox/protocol/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HeldAnswers, startHeldAnswers } from '../stack/held-answers.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

let installation: TestInstallation
let held: HeldAnswers
beforeAll(async () => {
  installation = await startInstallation({
    between: async (host) => {
      held = await startHeldAnswers(host)
      return held
    },
  })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const pollOptions = { timeout: 120_000, interval: 100 }

const listed = async (thread: TestThread) =>
  (await installation.client.snapshots.list(thread.id)).snapshots.map(({ id, state }) => ({ id, state }))
const sandboxIds = () => sandboxIdsOf(installation)
async function onHost(sandboxId: string): Promise<string[]> {
  const { body } = await installation.host.request('GET', hostPaths.snapshots(sandboxId))
  return (body as { snapshots: { snapshotId: string }[] }).snapshots.map(({ snapshotId }) => snapshotId)
}

test.each([
  [
    'server',
    async (answered: Promise<void>) => {
      await answered
      await installation.server.kill('SIGKILL')
      await installation.server.restart()
    },
  ],
  [
    'host daemon',
    async (answered: Promise<void>) => {
      await answered
      await installation.host.kill('SIGKILL')
      await installation.host.restart()
    },
  ],
] as const)(
  'C2 C9: the %s is killed before it is known that a snapshot was taken: it exists once, and is listed',
  async (_, crash) => {
    const before = await sandboxIds()
    const thread = await installation.newThread()
    const answered = held.holdNext(/^POST \/v1\/sandboxes\/[^/]+\/snapshots /)
    const { calls } = await thread.say('/run echo first > /home/user/note')
    expect(calls[0]).toMatchObject({ status: 'succeeded' })
    await crash(answered)
    await expect.poll(() => listed(thread), pollOptions).toMatchObject([{ state: 'kept' }])
    const sandboxId = (await sandboxIds()).find((id) => !before.includes(id)) ?? 'none'
    expect(await onHost(sandboxId)).toEqual((await listed(thread)).map(({ id }) => id))
  },
)
