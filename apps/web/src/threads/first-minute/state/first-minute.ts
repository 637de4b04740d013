import { isThreadboxError, type ThreadboxClient } from '@threadbox/sdk'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'
import { newMessageKey } from '../../../page/thread/state/message-key.ts'
import {
  type Count,
  type CounterWords,
  counterFile,
  counterMessage,
  counterPort,
  counterProgram,
  lastCountIn,
} from './counter-program.ts'

/** The steps in order. `survived` and `restarted` are the two possible ends. */
export const steps = ['starting', 'counting', 'pausing', 'asleep', 'waking', 'survived'] as const
export type Step = (typeof steps)[number] | 'restarted'

export type Progress = { step: Step; before: Count | null; after: Count | null }

/** Enough to see that it counts. */
const countsToSee = 5
/** Long enough to read that the sandbox is asleep. */
const asleepMs = 4000
const pollMs = 500

/**
 * Shows in a new thread that a sandbox survives its pause: a service counts, is paused, wakes and continues to count.
 * Reports each step when it begins, and resolves at the end. Every count it reports was printed by the counter. An
 * abort leaves everything in its current state.
 */
export async function watchSurvival(options: {
  client: ThreadboxClient
  threadId: string
  words: CounterWords
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}): Promise<void> {
  const { client, threadId, words, signal, onProgress } = options
  let progress: Progress = { step: 'starting', before: null, after: null }
  const report = (change: Partial<Progress>) => {
    signal.throwIfAborted()
    progress = { ...progress, ...change }
    onProgress(progress)
  }
  const until = async <Value>(check: () => Promise<Value | undefined>): Promise<Value> => {
    for (;;) {
      const value = await check()
      signal.throwIfAborted()
      if (value !== undefined) return value
      await wait(pollMs, signal)
    }
  }
  report({})
  await client.files.write(threadId, counterFile, new Blob([counterProgram(words)]))
  signal.throwIfAborted()
  await client.threads.sendMessage(threadId, { text: counterMessage, key: newMessageKey(), attachmentIds: [] })
  const name = await until(() => runningCounter(client, threadId))
  const count = async () => lastCountIn((await client.services.logs(threadId, name)).text)
  report({ step: 'counting' })
  await until(async () => {
    const seen = await count()
    if (seen !== undefined) report({ before: seen })
    return seen !== undefined && seen.count >= countsToSee ? seen : undefined
  })
  report({ step: 'pausing' })
  const before = await until(async () => {
    const seen = await count()
    return (await paused(client, threadId)) ? seen : undefined
  })
  report({ step: 'asleep', before })
  await wait(asleepMs, signal)
  report({ step: 'waking' })
  await wakeSandbox(client, threadId)
  // A count between the last reading and the pause proves nothing: the counter has to advance from here.
  const woken = await until(count)
  const after = await until(async () => {
    const seen = await count()
    return seen !== undefined && (seen.process !== woken.process || seen.count > woken.count) ? seen : undefined
  })
  report({ step: after.process === before.process ? 'survived' : 'restarted', after })
}

async function runningCounter(client: ThreadboxClient, threadId: string): Promise<string | undefined> {
  const { services } = await client.services.list(threadId)
  const counter = services.find(({ port }) => port === counterPort)
  if (counter?.status === 'error') throw new Error(counter.problem?.message ?? counter.status)
  return counter?.status === 'running' ? counter.name : undefined
}

/** False while the turn that started the counter is ending: the server refuses to pause until then. */
async function paused(client: ThreadboxClient, threadId: string): Promise<boolean> {
  try {
    await client.sandboxes.pause(threadId)
    return true
  } catch (error) {
    if (isThreadboxError(error) && error.code === 'sandbox.turn-running') return false
    throw error
  }
}

function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, delayMs)
    signal.addEventListener('abort', stop, { once: true })
  })
}
