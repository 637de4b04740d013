import type { TestInstallation } from '../stack/installation.ts'
import { persist, runToEnd } from './run-to-end.ts'

type ChaosCopy = { installation: TestInstallation; threadId: string }

/**
 * Forks a thread and returns the lines of the fork’s file, or what it said instead. A fork whose response was lost stays
 * until the end, as for a person.
 */
export async function linesOfFork(
  { installation, threadId }: ChaosCopy,
  withinMs: number,
): Promise<{ lines: string[] } | { problem: string }> {
  const { threads } = installation.client
  const { id } = await persist(() => threads.fork(threadId))
  const call = await runToEnd(installation, { threadId: id, command: 'cat log.txt 2> /dev/null; true', withinMs })
  if (call?.status !== 'succeeded') return { problem: call?.output.tail ?? 'no response' }
  const { text } = await persist(() => threads.output(id, call.id))
  await persist(() => deleteOnce(installation, id))
  return { lines: text.split('\n').filter((line) => line !== '') }
}

/** Rewinds a thread to before the message of this turn; returns false if its files before that are not kept. */
export async function rewindTurn({ installation, threadId }: ChaosCopy, turnId: string): Promise<boolean> {
  const { threads } = installation.client
  const { entries } = await persist(() => threads.entries(threadId, { limit: 50 }))
  const message = entries.find((entry) => entry.kind === 'user-message' && entry.turnId === turnId)
  if (message === undefined) throw new Error(`the message of turn ${turnId} is not among the last entries`)
  return await persist(async () => {
    const refused = await threads.rewind(threadId, message.id).then(
      () => undefined,
      (error: { code?: string }) => error,
    )
    // The response to the first request was lost.
    if (refused === undefined || refused.code === 'rewind.message-not-found') return true
    if (refused.code === 'rewind.snapshot-gone') return false
    throw refused
  })
}

/** One that is deleted already is not found: the response to the first request was lost. */
export async function deleteOnce({ client }: TestInstallation, threadId: string): Promise<void> {
  await client.threads.delete(threadId).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'thread.not-found') throw error
  })
}
