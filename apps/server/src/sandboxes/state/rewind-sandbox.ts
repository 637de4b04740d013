import { isThreadboxError } from '@threadbox/errors'
import type { RewindSandbox, RewoundSandbox } from '@threadbox/protocol/host'
import type { HostClient } from '../host/host-client.ts'
import type { Claims } from './claims.ts'
import type { ExchangeCause, LifecycleEvent, Sandbox } from './sandbox.logic.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import { recordInPlace, type Transition } from './transitions.ts'

type RewindSandboxDependencies = {
  store: Pick<SandboxStore, 'find' | 'findById' | 'change'>
  host: Pick<HostClient, 'rewind'>
  transition: Transition
  claims: Pick<Claims, 'exclusively'>
}

/** `manifestJson`: what ran at the target of the rewind, for the report of the next start; null if unknown. */
export type RewindOrder = RewindSandbox & {
  threadId: string
  sandboxId: string
  manifestJson: string | null
  cause: ExchangeCause
}

/**
 * Has the host exchange the disk of a sandbox, and records the result: a boot restored from that point’s memory, or a
 * cold sandbox. The order and its cause are recorded first, so that the end of the old boot is not taken for an
 * accident. The sandbox is not woken at the same time. Repeating the order is the same exchange.
 */
export async function rewindSandbox(
  dependencies: RewindSandboxDependencies,
  order: RewindOrder,
): Promise<RewoundSandbox> {
  return await dependencies.claims.exclusively(order.threadId, () => exchange(dependencies, order))
}

async function exchange(
  dependencies: RewindSandboxDependencies,
  { threadId, sandboxId, manifestJson, cause, ...order }: RewindOrder,
): Promise<RewoundSandbox> {
  const { store, host } = dependencies
  const before = await store.find(threadId)
  if (before !== undefined) {
    await recordInPlace(store, before.id, { type: 'rewind-ordered', keepId: order.keepId, cause })
  }
  let made: RewoundSandbox
  try {
    made = await host.rewind(sandboxId, order)
  } catch (error) {
    // Without a response, the host may still be working: a boot that ends by the rewind did not fail, and a boot that
    // it restores is not stopped.
    if (before !== undefined && !isUnanswered(error)) {
      await recordInPlace(store, before.id, { type: 'rewind-refused', before, cause })
    }
    throw error
  }
  const row = await store.find(threadId)
  if (row !== undefined) {
    const rewound = { cause, problem: made.problem, manifestJson }
    const isAwake = made.from === 'memory'
    await record(
      dependencies,
      row,
      isAwake ? { type: 'rewound-awake', bootId: order.bootId ?? '', rewound } : { type: 'rewound-cold', rewound },
    )
  }
  return made
}

/** True if it is unknown what the host did. The same order is repeated until the host responds. */
export function isUnanswered(error: unknown): boolean {
  return !isThreadboxError(error) || unansweredCodes.includes(error.code)
}

const unansweredCodes = ['host.unreachable', 'host.preparing', 'host.answer-unknown']

async function record(
  { store, transition }: RewindSandboxDependencies,
  row: Sandbox,
  event: Extract<LifecycleEvent, { type: 'rewound-awake' | 'rewound-cold' }>,
): Promise<void> {
  // Recorded before a crash that cut off the rest.
  if (event.type === 'rewound-awake' && row.state === 'active' && row.boot_id === event.bootId) {
    return await recordInPlace(store, row.id, { type: 'rewind-answered', rewound: null })
  }
  if ((await transition(row, event)) !== undefined) return
  await recordInPlace(store, row.id, { type: 'rewind-answered', rewound: event.rewound })
}
