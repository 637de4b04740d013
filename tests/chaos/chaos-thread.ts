import { setTimeout as delay } from 'node:timers/promises'
import type { ToolCallEntry } from '@threadbox/sdk'
import type { Random } from '@threadbox/testkit/repeats'
import type { TestInstallation } from '../stack/installation.ts'
import type { Finding } from './findings.ts'

/** A thread that does things and remembers what the product acknowledged. */
export type ChaosThread = {
  /** Works until aborted; every failed request is one that a person would see, and is retried. */
  work(signal: AbortSignal): Promise<void>
  /** Reads the file with all lines and compares it with what was acknowledged. */
  verify(withinMs: number): Promise<Finding[]>
  sandboxId(): Promise<string | undefined>
  delete(): Promise<void>
  counts: { acknowledged: number; unknown: number; pauses: number; deletions: number }
}

type Promised = { acknowledged: Set<string>; unknown: Set<string> }

export async function makeChaosThread(
  installation: TestInstallation,
  { index, random }: { index: number; random: Random },
): Promise<ChaosThread> {
  const { client } = installation
  const counts = { acknowledged: 0, unknown: 0, pauses: 0, deletions: 0 }
  let promised: Promised = { acknowledged: new Set(), unknown: new Set() }
  let threadId = (await client.threads.create({})).id
  let turn: Promise<unknown> = Promise.resolve()
  let lines = 0
  // One message at a time, also between work and verification: this makes the file’s content known.
  const alone = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const next = turn.then(work, work)
    turn = next.catch(() => undefined)
    return next
  }
  const append = async () => {
    const line = `line-${index}-${++lines}`
    promised.unknown.add(line)
    const call = await runToEnd(installation, { threadId, command: `echo ${line} >> log.txt`, withinMs: 60_000 })
    if (call?.status !== 'succeeded') return
    promised.unknown.delete(line)
    promised.acknowledged.add(line)
    counts.acknowledged += 1
  }
  const replace = async () => {
    await persist(() => client.threads.delete(threadId))
    counts.deletions += 1
    threadId = (await persist(() => client.threads.create({}))).id
    promised = { acknowledged: new Set(), unknown: new Set() }
  }
  const act = async () => {
    const choice = random.next()
    if (choice < 0.5) return await alone(append)
    if (choice < 0.75) {
      const paused = await client.sandboxes.pause(threadId).then(
        () => true,
        () => false,
      )
      if (paused) counts.pauses += 1
    } else if (choice < 0.78) await alone(replace)
    await delay(random.between(0, 700))
  }
  return {
    counts,
    work: async (signal) => {
      while (!signal.aborted) await act().catch(() => delay(100))
    },
    verify: (withinMs) => alone(() => verify(installation, { threadId, promised, withinMs })),
    sandboxId: async () => {
      const { body } = await installation.host.request('GET', '/v1/sandboxes')
      const all = (body as { sandboxes: { sandboxId: string }[] }).sandboxes
      return all.length === 0 ? undefined : random.oneOf(all).sandboxId
    },
    delete: () => alone(async () => void (await persist(() => client.threads.delete(threadId)))),
  }
}

async function verify(
  installation: TestInstallation,
  { threadId, promised, withinMs }: { threadId: string; promised: Promised; withinMs: number },
): Promise<Finding[]> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const left = deadline - Date.now()
    if (left <= 0) return [{ kind: 'stuck', what: `thread ${threadId} could not be used within ${withinMs} ms` }]
    const call = await runToEnd(installation, { threadId, command: 'cat log.txt 2>/dev/null; true', withinMs: left })
    if (call?.status === 'succeeded') {
      const { text } = await persist(() => installation.client.threads.output(threadId, call.id))
      return compare(text, promised).map(({ kind, what }) => ({ kind, what: `${what} (${threadId})` }))
    }
  }
}

function compare(text: string, { acknowledged, unknown }: Promised): Finding[] {
  const found = text.split('\n').filter((line) => line !== '')
  const once = new Set(found)
  const duplicated = [...once].filter((line) => found.indexOf(line) !== found.lastIndexOf(line))
  const unsent = [...once].filter((line) => !acknowledged.has(line) && !unknown.has(line))
  return [
    ...[...acknowledged].filter((line) => !once.has(line)).map(finding('lost', 'was acknowledged and is gone')),
    ...duplicated.map(finding('duplicated', 'is there more than once')),
    ...unsent.map(finding('duplicated', 'was never sent')),
  ]
}

const finding = (kind: Finding['kind'], what: string) => (line: string) => ({ kind, what: `${line} ${what}` })

/** Sends a command and follows it to its end, however often the server is killed; undefined if it did not end. */
async function runToEnd(
  { client }: TestInstallation,
  { threadId, command, withinMs }: { threadId: string; command: string; withinMs: number },
): Promise<ToolCallEntry | undefined> {
  const key = crypto.randomUUID()
  const deadline = Date.now() + withinMs
  const until = async <Value>(work: () => Promise<Value | undefined>): Promise<Value | undefined> => {
    while (Date.now() < deadline) {
      const value = await work().catch(() => undefined)
      if (value !== undefined) return value
      await delay(30)
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
async function persist<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 200) throw error
      await delay(100)
    }
  }
}
