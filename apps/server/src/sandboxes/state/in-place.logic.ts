import type { Applied, ExchangeCause, Rewound, Sandbox, StartCause } from './sandbox.logic.ts'

/** Events that leave a sandbox’s state unchanged, whichever it is: orders of this server and their results. */
export type InPlaceEvent =
  | { type: 'rewind-ordered'; keepId: string; cause: ExchangeCause }
  /** The host has done nothing. `before` is the row from when the order was given. */
  | { type: 'rewind-refused'; before: Pick<Sandbox, 'intent' | 'cause' | 'detail'>; cause: ExchangeCause }
  /**
   * Null if the resulting state is on record. Otherwise a start or a wake is in progress, and reports what it started
   * from.
   */
  | { type: 'rewind-answered'; rewound: Rewound | null }
  | { type: 'demotion-ordered'; reason: 'time' | 'budget' }
  | { type: 'demotion-failed' }
  /** The sandbox gets a new disk. */
  | { type: 'disk-lost'; lost: StartCause }

/** Returns the changed columns of the row, and in `memory` those stored beside it. No further action follows. */
export function applyInPlace(row: Sandbox, event: InPlaceEvent): Pick<Applied, 'changed' | 'memory'> {
  switch (event.type) {
    case 'rewind-ordered':
      return { changed: { intent: { kind: 'rewind', keepId: event.keepId, cause: event.cause } } }
    case 'rewind-refused':
      return { changed: beforeRewind(row, event) }
    case 'rewind-answered':
      return event.rewound === null ? { changed: { intent: null } } : answered(event.rewound)
    case 'demotion-ordered':
      return { changed: { intent: { kind: 'demote', reason: event.reason } } }
    case 'demotion-failed':
      return { changed: { intent: null } }
    case 'disk-lost':
      return { changed: { cause: event.lost } }
  }
}

/**
 * The values from before the order: its boot may have ended since for another reason. A host that refuses has done
 * nothing, so leftovers of an earlier attempt, which a crash cut off, are cleared as well.
 */
function beforeRewind(
  row: Sandbox,
  { before, cause }: Extract<InPlaceEvent, { type: 'rewind-refused' }>,
): Partial<Sandbox> {
  const isLeft = before.intent?.kind === 'rewind'
  // The same detail of an earlier rewind still holds if the sandbox has not run since.
  const isOfOrder = row.detail?.code === cause && (isLeft || before.detail?.code !== cause)
  return {
    intent: isLeft ? null : before.intent,
    cause: isLeft && before.cause?.code === cause ? null : before.cause,
    ...(isOfOrder && { detail: null }),
  }
}

function answered({ cause, problem, manifestJson }: Rewound): Pick<Applied, 'changed' | 'memory'> {
  return {
    changed: { cause: { code: cause, detail: problem, pausedAt: null }, intent: null },
    memory: { manifest_json: manifestJson, rescue_json: null },
  }
}
