import { setTimeout as delay } from 'node:timers/promises'
import type { ToolCallEntry } from '@threadbox/sdk'
import type { TestInstallation } from '../stack/installation.ts'

const retryMs = 30

/** Sends a command and follows it to its end, however often the server is killed; undefined if it did not end. */
export async function runToEnd(
  { client }: TestInstallation,
  { threadId, command, withinMs }: { threadId: string; command: string; withinMs: number },
): Promise<ToolCallEntry | undefined> {
  const key = crypto.randomUUID()
  const deadline = Date.now() + withinMs
  const until = async <Value>(work: () => Promise<Value | undefined>): Promise<Value | undefined> => {
    while (Date.now() < deadline) {
      const value = await work().catch(() => undefined)
      if (value !== undefined) return value
      await delay(retryMs)
    }
    return undefined
  }
  const sent = await until(() =>
    client.threads.sendMessage(threadId, { text: `/run ${command}`, attachmentIds: [], key }),
  )
  if (sent === undefined) return undefined
  return await until(async () => {
    const page = await client.threads.entries(threadId, { limit: 50 })
    const turn = page.turns.find((candidate) => candidate.id === sent.turnId)
    if (turn === undefined || turn.status === 'running') return undefined
    const call = page.entries.find((entry) => entry.kind === 'tool-call' && entry.turnId === sent.turnId)
    return call?.kind === 'tool-call' ? call : undefined
  })
}

/** Retries until there is a response: a restarting server sends none. */
export async function persist<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 1000) throw error
      await delay(retryMs)
    }
  }
}

/** Repeats a request until its response satisfies the condition. */
export async function insist<Value>(work: () => Promise<Value>, isDone: (value: Value) => boolean): Promise<Value> {
  return await persist(async () => {
    const value = await work()
    if (!isDone(value)) throw new Error(`not yet: ${JSON.stringify(value).slice(0, 500)}`)
    return value
  })
}
