import { makeBackground, makeKeyedLock } from '@threadbox/concurrency'
import { guestPaths } from '@threadbox/protocol/guest'
import { hostAnswerUnknown } from '@threadbox/protocol/host'
import type { ThreadSecrets } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { SecretPlace, UsableSecrets } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { PlaceholderStore } from './placeholders.store.ts'
import type { Placeholders } from './placeholders.ts'

type Boot = { sandboxId: string; bootId: string }
type Problem = Extract<ThreadSecrets['problem'], 'sandbox-unreachable' | 'sandbox-too-old'>

/** Gives programs that are started in sandboxes the variables of their thread’s secrets. */
export type SecretVariables = {
  /** Before a use of the sandbox. Does nothing if it has the present ones. A failure is logged, and tried at the next use. */
  deliver(threadId: string, sandbox: Boot): Promise<void>
  /** Updates all awake sandboxes that have secrets or had some. Resolves when each has them or has failed. */
  refresh(): Promise<void>
  /** Why the thread’s awake sandbox doesn’t have the present variables. Null for one that isn’t: it gets them when it wakes. */
  problemOf(threadId: string): Promise<Problem | null>
  stop(): Promise<void>
}

export type SecretVariableDependencies = {
  host: Pick<HostClient, 'guest'>
  usable: UsableSecrets
  placeOf(threadId: string): Promise<SecretPlace | undefined>
  store: PlaceholderStore
  placeholders: Placeholders
  secretBox: SecretBox
  ifAwake(threadId: string): Promise<Boot | undefined>
  awakeThreads(): Promise<string[]>
  /** Called before a placeholder gets into the sandbox: the broker should know it by then. */
  pushFirst(threadId: string): Promise<void>
  logger: Logger
}

const deliverMs = 5_000

export function makeSecretVariables(dependencies: SecretVariableDependencies): SecretVariables {
  const { logger } = dependencies
  const delivered = new Map<string, { bootId: string; count: number; problem: Problem | null }>()
  const inOrder = makeKeyedLock()
  const background = makeBackground<{ threadId: string }>((error, { threadId }) =>
    logger.warn({ err: error, threadId }, 'variables of a sandbox were not set'),
  )
  let count = 0
  const isPresent = (threadId: string, { bootId }: Boot) => {
    const before = delivered.get(threadId)
    return before?.bootId === bootId && before.count === count && before.problem !== 'sandbox-unreachable'
  }
  const ensure = async (threadId: string, sandbox: Boot) => {
    if (isPresent(threadId, sandbox)) return
    const now = count
    await dependencies.pushFirst(threadId)
    const problem = await send(dependencies, threadId, sandbox).catch((error: unknown): Problem => {
      logger.warn({ err: error, threadId }, 'variables of a sandbox were not set')
      return 'sandbox-unreachable'
    })
    delivered.set(threadId, { bootId: sandbox.bootId, count: now, problem })
  }
  const refreshThread = (threadId: string) =>
    inOrder(threadId, async () => {
      const sandbox = await dependencies.ifAwake(threadId)
      if (sandbox === undefined) delivered.delete(threadId)
      else await ensure(threadId, sandbox)
    })
  return {
    deliver: async (threadId, sandbox) => {
      if (isPresent(threadId, sandbox)) return
      await inOrder(threadId, () => ensure(threadId, sandbox))
    },
    refresh: async () => {
      count += 1
      const threads = await dependencies.awakeThreads()
      const work = Promise.all(threads.map(refreshThread))
      void background.keep(
        work.then(() => undefined),
        { threadId: 'all' },
      )
      await work
    },
    problemOf: async (threadId) => {
      const { problem = null, bootId } = delivered.get(threadId) ?? {}
      if (problem === null) return null
      return (await dependencies.ifAwake(threadId))?.bootId === bootId ? problem : null
    },
    stop: () => background.settled(),
  }
}

/** Sends nothing to a sandbox that never had a variable: its guest has none. */
async function send(
  dependencies: SecretVariableDependencies,
  threadId: string,
  sandbox: Boot,
): Promise<Problem | null> {
  const { host, store } = dependencies
  const variables = await variablesFor(dependencies, threadId, sandbox.sandboxId)
  const isEmpty = Object.keys(variables).length === 0
  if (!(await store.sentTo()).has(sandbox.sandboxId)) {
    if (isEmpty) return null
    await store.nextRevision(sandbox.sandboxId)
  }
  const response = await host.guest(sandbox, {
    method: 'PUT',
    path: guestPaths.variables,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ variables }),
    signal: AbortSignal.timeout(deliverMs),
  })
  await response.body.dump()
  if (response.statusCode < 400) return null
  // A guest from before this path existed, restored from its memory. It has no variables of ours.
  if (response.statusCode === 404) return isEmpty ? null : 'sandbox-too-old'
  throw hostAnswerUnknown({ status: response.statusCode })
}

async function variablesFor(
  { usable, placeOf, placeholders, secretBox }: SecretVariableDependencies,
  threadId: string,
  sandboxId: string,
): Promise<Record<string, string>> {
  const place = await placeOf(threadId)
  const secrets = place === undefined ? [] : await usable.ofThread(place)
  const names = await placeholders(
    sandboxId,
    secrets.filter(({ way }) => way === 'brokered'),
  )
  return Object.fromEntries(
    secrets.map(({ id, name, way, sealedValue }) => [
      name,
      way === 'direct' ? secretBox.open(sealedValue) : (names.get(id) ?? ''),
    ]),
  )
}
