import type { Applied, ExchangeCause, Rewound, Sandbox, StartCause } from './sandbox.models.ts'

/** What is recorded of a sandbox while its state stays, whichever that is: orders of this server, and what came of them. */
export type InPlaceEvent =
  | { type: 'rewind-ordered'; keepId: string; cause: ExchangeCause }
  /** The host has done nothing. `before`: the row when the order was given. */
  | { type: 'rewind-refused'; before: Pick<Sandbox, 'intent' | 'cause' | 'detail'>; cause: ExchangeCause }
  /** Null: the state that it led to is on record. Otherwise a start or a wake is under way, and reports what it began with. */
  | { type: 'rewind-answered'; rewound: Rewound | null }
  | { type: 'demotion-ordered'; reason: 'time' | 'budget' }
  | { type: 'demotion-failed' }
  /** It gets a new disk. */
  | { type: 'disk-lost'; lost: StartCause }

/** What becomes of the row. `memory`: stored beside it. Nothing follows it. */
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
 * What stood there before the order: its boot may have ended meanwhile for another reason. A host that refuses has done
 * nothing, so what a crash left of an earlier attempt goes with it.
 */
function beforeRewind(
  row: Sandbox,
  { before, cause }: Extract<InPlaceEvent, { type: 'rewind-refused' }>,
): Partial<Sandbox> {
  const isLeft = before.intent?.kind === 'rewind'
  // An earlier rewind of a sandbox that has not run since says the same, and is still why it is as it is.
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
