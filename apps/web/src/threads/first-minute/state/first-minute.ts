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

/** The steps in their order; `survived` and `restarted` are its two ends. */
export const steps = ['starting', 'counting', 'pausing', 'asleep', 'waking', 'survived'] as const
export type Step = (typeof steps)[number] | 'restarted'

export type Progress = { step: Step; before: Count | null; after: Count | null }

/** Enough that a person sees that it counts. */
const countsToSee = 5
/** Long enough to read that it sleeps. */
const asleepMs = 4000
const lookEveryMs = 500

/**
 * Shows on a new thread that a computer outlives its pause: a service counts, sleeps, wakes and goes on. Tells each step as
 * it begins; resolves at the end. What it says of the count is what the counter printed. Aborted it leaves everything as
 * it is at that moment.
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
  const tell = (change: Partial<Progress>) => {
    signal.throwIfAborted()
    progress = { ...progress, ...change }
    onProgress(progress)
  }
  const until = async <Value>(look: () => Promise<Value | undefined>): Promise<Value> => {
    for (;;) {
      const value = await look()
      signal.throwIfAborted()
      if (value !== undefined) return value
      await wait(lookEveryMs, signal)
    }
  }
  tell({})
  await client.files.write(threadId, counterFile, new Blob([counterProgram(words)]))
  signal.throwIfAborted()
  await client.threads.sendMessage(threadId, { text: counterMessage, key: newMessageKey(), attachmentIds: [] })
  const name = await until(() => runningCounter(client, threadId))
  const count = async () => lastCountIn((await client.services.logs(threadId, name)).text)
  tell({ step: 'counting' })
  await until(async () => {
    const seen = await count()
    if (seen !== undefined) tell({ before: seen })
    return seen !== undefined && seen.count >= countsToSee ? seen : undefined
  })
  tell({ step: 'pausing' })
  const before = await until(async () => {
    const seen = await count()
    return (await paused(client, threadId)) ? seen : undefined
  })
  tell({ step: 'asleep', before })
  await wait(asleepMs, signal)
  tell({ step: 'waking' })
  await wakeSandbox(client, threadId)
  // What it counted between the last look and its sleep proves nothing: it has to count on from here.
  const woken = await until(count)
  const after = await until(async () => {
    const seen = await count()
    return seen !== undefined && (seen.process !== woken.process || seen.count > woken.count) ? seen : undefined
  })
  tell({ step: after.process === before.process ? 'survived' : 'restarted', after })
}

async function runningCounter(client: ThreadboxClient, threadId: string): Promise<string | undefined> {
  const { services } = await client.services.list(threadId)
  const counter = services.find(({ port }) => port === counterPort)
  if (counter?.status === 'error') throw new Error(counter.problem?.message ?? counter.status)
  return counter?.status === 'running' ? counter.name : undefined
}

/** False while the answer to the message that started the counter still ends: a pause waits for it. */
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
