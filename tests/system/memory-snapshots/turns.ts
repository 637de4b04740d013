import { expect } from 'vitest'
import type { TestInstallation, TestThread } from '../../stack/installation.ts'

const pollOptions = { timeout: 60_000, interval: 100 }

export async function output(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(command)
  expect(calls[0], command).toMatchObject({ status: 'succeeded' })
  return calls[0]?.output.tail ?? ''
}

export const run = (thread: TestThread, command: string) => output(thread, `/run ${command}`)

export const messagesOf = async (thread: TestThread) =>
  (await thread.entries()).flatMap((entry) =>
    entry.kind === 'user-message' ? [{ id: entry.id, turnId: entry.turnId, text: entry.text }] : [],
  )

/** Resolves when the snapshots of all turns exist, with memory where it is to be saved. */
export async function untilKept({ client }: TestInstallation, thread: TestThread): Promise<void> {
  const isDone = async () => {
    const { snapshots } = await client.snapshots.list(thread.id)
    return snapshots.every(({ state, memoryProblem }) => state === 'kept' && memoryProblem !== 'not-yet')
  }
  await expect.poll(isDone, pollOptions).toBe(true)
}

/** Counts in a variable of its shell as far as it is asked to, and prints the count. Nothing of it is on the disk. */
export const counter = [
  '(n=0; while :; do if test -e /dev/shm/go; then n=$((n+1)); rm /dev/shm/go; echo "$BASHPID $n" > /dev/shm/count; fi;',
  'sleep 0.05; done) > /dev/null 2>&1 & disown;',
].join(' ')
export const count = (until: number) =>
  `touch /dev/shm/go; for i in $(seq 400); do grep -qs ' ${until}$' /dev/shm/count && break; sleep 0.05; done; cat /dev/shm/count`

/**
 * The processes with which the counter waits, a new one each time; one that is about to exit no longer has arguments.
 */
const napping = /^sleep( 0\.05)?$/

/** The processes and variables in the rewind preview, as `change name`. */
export async function changesOf(
  { client }: TestInstallation,
  thread: { id: string; entryId: string },
): Promise<string[]> {
  const { running } = await client.threads.previewRewind(thread.id, thread.entryId)
  expect(running).toMatchObject({ knowsNow: true, knowsThen: true, knowsVariables: true })
  const named = [...running.processes, ...running.variables].filter(({ name }) => !napping.test(name))
  return named.map(({ change, name }) => `${change} ${name}`)
}

/** The report of the newest wake, once it is complete, with its items as `outcome kind name`. */
export async function reported(thread: TestThread) {
  const newest = async () => (await thread.entries()).findLast((entry) => entry.kind === 'wake')?.report
  await expect.poll(async () => (await newest())?.status, pollOptions).toBe('complete')
  const report = await newest()
  return { report, items: report?.items.map(({ outcome, kind, name }) => `${outcome} ${kind} ${name}`) ?? [] }
}
