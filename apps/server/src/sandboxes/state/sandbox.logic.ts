import { nextSandboxState, type SandboxLimits, type SandboxState } from '@threadbox/domain'
import type { HostSandbox, PausedSandbox, WokenSandbox } from '@threadbox/protocol/host'
import type { PauseCause, SurvivalReport, WakeCause } from '@threadbox/protocol/public'
import type { LifecycleLine } from './lifecycle-recorder.ts'
import type { SandboxMemoryRow, SandboxRow } from './sandboxes.table.ts'

/** A thread’s sandbox as the server knows it: its row, parsed. */
export type Sandbox = Omit<
  SandboxRow,
  keyof Parsed | 'detail_code' | `${'detail' | 'cause' | 'intent' | 'wake'}_json`
> &
  Parsed

type Parsed = {
  state: SandboxState
  /** Why the state is what it is: a message key of the app and its parameters. */
  detail: { code: string; params: Record<string, string | number> } | null
  pause_cause: PauseCause | null
  cause: StartCause | null
  intent: Intent | null
  /** A wake whose report is not written yet. Set together with the state, so that no crash loses a report. */
  wake: WakeFacts | null
}

/** Why a start does not restore memory. */
export type StartCause = { code: WakeCause; detail: string; pausedAt: number | null }

/** An order of this server that the host has not confirmed yet. A boot that ends by that order did not fail. */
export type Intent =
  | { kind: 'rewind'; keepId: string; cause: ExchangeCause }
  | { kind: 'demote'; reason: 'time' | 'budget' }

export type ExchangeCause = Extract<WakeCause, 'rewound' | 'rewind-undone'>

/** A wake as it is recorded together with the new state, until its report is written. */
export type WakeFacts = {
  reportId: string
  entryId: string
  bootId: string
  from: SurvivalReport['from']
  cause: SurvivalReport['cause']
  pausedAt: number | null
  wokenAt: number
  wakeMs: number
}

/** Why a sandbox is paused, with the figures for the text about it. */
export type PauseReason = { cause: PauseCause; params?: Record<string, string | number> }
export type Problem = { code: string; message: string }
export type BootEnd = NonNullable<HostSandbox['lastBootEnd']>
type Restarted = { cause: 'restarted'; manifestJson: string | null }
/** `problem`: why nothing could be rescued; empty if something was. */
type Demoted = {
  cause: 'demoted'
  reason: 'time' | 'budget'
  problem: string
  rescueJson: string | null
  figures: { variables: number; processes: number; durationMs: number }
}
/** `manifestJson`: what ran at the target of the rewind; null if unknown. */
export type Rewound = { cause: ExchangeCause; problem: string; manifestJson: string | null }

/** An event of a sandbox, with what was measured. `startedAt`: since when a caller waited. */
export type LifecycleEvent =
  | { type: 'start-requested'; bootId: string; limits: SandboxLimits }
  /** `lost`: why the sandbox is a new one. `restoredFrom`: time of the snapshot that its disk was made from. */
  | { type: 'boot-ready'; restoredFrom: number | null; lost: StartCause | null; startedAt: number }
  | { type: 'boot-failed'; problem: Problem }
  | { type: 'start-refused' }
  | { type: 'start-withdrawn' }
  | { type: 'wake-requested' }
  | { type: 'wake-finished'; from: WokenSandbox['from']; startedAt: number }
  | { type: 'wake-failed'; cause: Omit<StartCause, 'pausedAt'> }
  /** Null if the wake was canceled. */
  | { type: 'wake-refused'; problem: Problem | null }
  /** Null if it is unknown how the boot ended. */
  | { type: 'boot-ended'; end: BootEnd | Restarted | null }
  | { type: 'memory-dropped'; end: BootEnd | Demoted | null }
  | { type: 'pause-requested'; reason: PauseReason }
  | { type: 'pause-finished'; paused: PausedSandbox }
  | { type: 'pause-failed'; why: 'turn-began' | 'abandoned' | Pick<Problem, 'message'> }
  | { type: 'rewound-awake'; bootId: string; rewound: Rewound }
  | { type: 'rewound-cold'; rewound: Rewound }
  | { type: 'forked-awake'; bootId: string }
  | { type: 'forked-cold'; cause: WakeCause; problem: string }
  /** `bytes`: of its files in the archive. */
  | { type: 'archived'; bytes: number }
  /** Null: its files never left the host. */
  | { type: 'restored'; durationMs: number | null }
  /** Null: the cause stays. */
  | { type: 'delete-requested'; cause: StartCause | null }

/** What follows a change, in this order, after it is stored. */
export type Effect =
  /** `isSoon`: the command that a wake was for is recorded at the same time. */
  | { type: 'announce'; isSoon: boolean }
  /** Memory may be free for another sandbox. */
  | { type: 'release-capacity' }
  /** What a sandbox did before it slept says nothing about it after the wake. */
  | { type: 'clear-usage' }
  | { type: 'log'; line: LifecycleLine }
  /** A notice in the thread that its sandbox stopped, and why. */
  | { type: 'report-stopped'; end: BootEnd }

export type SandboxMemory = Partial<Pick<SandboxMemoryRow, 'manifest_json' | 'rescue_json'>>
export type Facts = { now: number; reportId: string; entryId: string }
/** `changed`: the values of `row` to store. The others may have changed since, and are not written. */
export type Applied = {
  row: Sandbox
  changed: Partial<Sandbox>
  memory?: SandboxMemory
  effects: readonly Effect[]
  /** Whether it must survive a power cut before anything follows from it. */
  isDurable: boolean
}

/**
 * A power cut ends every boot. If it undoes one of these, the row says `paused` or `waking` of a boot that the host knows as
 * ended, and the sandbox becomes cold with that cause, as it would otherwise.
 */
const foundOutAgain: readonly LifecycleEvent['type'][] = ['wake-requested', 'wake-finished']

/** The event for a boot that has ended, as the host knows it. The end of another boot says nothing about this one. */
export function endedEvent(
  row: Pick<Sandbox, 'state' | 'boot_id'>,
  actual: Pick<HostSandbox, 'lastBootEnd'> | undefined,
): Extract<LifecycleEvent, { type: 'boot-ended' | 'memory-dropped' }> {
  const known = actual?.lastBootEnd ?? null
  const end = known?.bootId === row.boot_id ? known : null
  return { type: row.state === 'paused' ? 'memory-dropped' : 'boot-ended', end }
}

/** Applies an event. Undefined if the table has no entry for it in this state. `memory` is stored beside the row. */
export function apply(row: Sandbox, event: LifecycleEvent, facts: Facts): Applied | undefined {
  const state = nextSandboxState(row.state, event.type)
  if (state === undefined) return undefined
  const outcome = (outcomes[event.type] as OutcomeOf<LifecycleEvent>)(row, event, facts)
  const changed = { detail: null, ...outcome.changed, state, since: facts.now }
  const isDurable = !foundOutAgain.includes(event.type)
  // A thread whose sandbox begins as a copy is not shown before the copy is complete.
  const announced: Effect[] =
    event.type === 'forked-awake' || event.type === 'forked-cold' ? [] : [{ type: 'announce', isSoon: !isDurable }]
  const effects = [...announced, ...(outcome.effects ?? [])]
  const { memory } = outcome
  return { row: { ...row, ...changed }, changed, effects, isDurable, ...(memory && { memory }) }
}

type Outcome = { changed?: Partial<Sandbox>; memory?: SandboxMemory; effects?: Effect[] }
type OutcomeOf<Event> = (row: Sandbox, event: Event, facts: Facts) => Outcome

/** Columns of a sandbox without saved memory. */
export const memoryGone = { paused_at: null, is_frozen: 0, image_bytes: null }

/** Columns of limits. */
export function limitColumns(limits: SandboxLimits) {
  return {
    memory_bytes: limits.memoryBytes,
    cpus: limits.cpus,
    processes: limits.processes,
    disk_bytes: limits.diskBytes,
  }
}

function awakeFrom(now: number): Partial<Sandbox> {
  return { ...memoryGone, awake_since: now, used_at: now, limit_announced: 0, retention_announced_at: null }
}

const outcomes: { [Type in LifecycleEvent['type']]: OutcomeOf<Extract<LifecycleEvent, { type: Type }>> } = {
  'start-requested': (_, { bootId, limits }) => ({ changed: { boot_id: bootId, ...limitColumns(limits) } }),
  'boot-ready': bootReady,
  'boot-failed': (_, { problem: { code, message } }) => ({
    changed: { boot_id: null, detail: { code, params: {} } },
    effects: [log({ code: 'start-failed', params: { message } })],
  }),
  'start-refused': () => ({ changed: { boot_id: null } }),
  'start-withdrawn': () => ({ changed: { boot_id: null } }),
  'wake-requested': () => ({ changed: { cause: null, intent: null } }),
  'wake-finished': wakeFinished,
  'wake-failed': (row, { cause }) => ({
    changed: { ...memoryGone, boot_id: null, cause: { ...cause, pausedAt: row.paused_at } },
    effects: [log({ code: 'memory-lost', params: { cause: cause.code } })],
  }),
  'wake-refused': (_, { problem }) =>
    problem === null
      ? {}
      : {
          changed: { detail: { code: problem.code, params: {} } },
          effects: [log({ code: 'wake-failed', params: { message: problem.message } })],
        },
  'boot-ended': (row, { end }, { now }) =>
    end?.cause === 'restarted' ? restarted(end) : ended(row, end ?? unknownEnd(row, now)),
  'memory-dropped': (row, { end }, { now }) =>
    end?.cause === 'demoted' ? demoted(row, end) : ended(row, end ?? unknownEnd(row, now)),
  'pause-requested': (_, { reason }) => ({
    changed: { detail: { code: `paused.${reason.cause}`, params: reason.params ?? {} }, pause_cause: reason.cause },
  }),
  'pause-finished': pauseFinished,
  'pause-failed': pauseFailed,
  'rewound-awake': (_, { bootId, rewound }, { now }) => ({
    changed: { ...awakeFrom(now), boot_id: bootId, has_run: 1, cause: null, intent: null, wake: null },
    memory: { manifest_json: rewound.manifestJson, rescue_json: null },
  }),
  'rewound-cold': (_, { rewound }) => ({
    changed: {
      ...memoryGone,
      boot_id: null,
      awake_since: null,
      detail: { code: rewound.cause, params: {} },
      cause: rewoundCause(rewound),
      intent: null,
    },
    memory: { manifest_json: rewound.manifestJson, rescue_json: null },
  }),
  'forked-awake': (_, { bootId }, { now }) => ({
    changed: { has_run: 1, used_at: now, boot_id: bootId, awake_since: now },
  }),
  'forked-cold': (_, { cause, problem }, { now }) => ({
    changed: { has_run: 1, used_at: now, cause: { code: cause, detail: problem, pausedAt: null } },
  }),
  archived: (_, { bytes }) => ({
    changed: { detail: { code: 'archived', params: { bytes } } },
    effects: [log({ code: 'archived', params: { bytes } })],
  }),
  restored: (_, { durationMs }, { now }) =>
    durationMs === null
      ? {}
      : {
          changed: { used_at: now, retention_announced_at: null },
          effects: [log({ code: 'restored-from-archive', params: { durationMs } })],
        },
  'delete-requested': (_, { cause }) => (cause === null ? {} : { changed: { cause } }),
}

function log(line: LifecycleLine): Effect {
  return { type: 'log', line }
}

function bootReady(row: Sandbox, event: Extract<LifecycleEvent, { type: 'boot-ready' }>, facts: Facts): Outcome {
  const { restoredFrom } = event
  // Started during a rewind whose response was lost: the disk is that of the rewind’s target.
  const before = intendedCause(row) ?? row.cause
  const cause = restoredFrom === null ? (event.lost ?? before) : snapshotCause(restoredFrom, before)
  const isFirst = row.has_run === 0 && cause === null
  const wake = wakeFactsOf(row, event.startedAt, facts, {
    cause: cause === null ? null : { code: cause.code, detail: cause.detail },
    from: originOf(cause, restoredFrom),
    pausedAt: cause?.pausedAt ?? null,
  })
  return {
    changed: { ...awakeFrom(facts.now), has_run: 1, cause: null, intent: null, wake: isFirst ? null : wake },
    effects: isFirst ? [log({ code: 'started', params: { durationMs: wake.wakeMs } })] : [],
  }
}

function wakeFactsOf(
  row: Sandbox,
  startedAt: number,
  { now, reportId, entryId }: Facts,
  wake: Pick<WakeFacts, 'from' | 'cause' | 'pausedAt'>,
): WakeFacts {
  return { reportId, entryId, bootId: row.boot_id ?? '', ...wake, wokenAt: now, wakeMs: now - startedAt }
}

function originOf(cause: StartCause | null, restoredFrom: number | null): SurvivalReport['from'] {
  if (restoredFrom !== null) return 'snapshot'
  return cause?.code.startsWith('disk-') === true ? 'new' : 'disk'
}

function snapshotCause(restoredFrom: number, before: StartCause | null): StartCause {
  const detail = `The disk was restored from its snapshot of ${new Date(restoredFrom).toISOString()}.`
  return { code: 'disk-missing', detail, pausedAt: before?.pausedAt ?? null }
}

function wakeFinished(row: Sandbox, event: Extract<LifecycleEvent, { type: 'wake-finished' }>, facts: Facts): Outcome {
  const { from, startedAt } = event
  const changed = { ...awakeFrom(facts.now), pause_cause: null }
  // The boot kept running, so nothing slept: only the record was outdated.
  if (from === 'awake' && row.paused_at === null) return { changed }
  const wake = wakeFactsOf(row, startedAt, facts, {
    from: from === 'frozen' ? 'frozen' : 'memory',
    cause: null,
    pausedAt: row.paused_at,
  })
  return { changed: { ...changed, wake } }
}

/** The record drops the boot before the host ends it, so that its end is not taken for an accident. */
function restarted({ manifestJson }: Restarted): Outcome {
  const cause: StartCause = { code: 'restarted', detail: '', pausedAt: null }
  return {
    changed: { boot_id: null, awake_since: null, cause, intent: null },
    memory: { manifest_json: manifestJson, rescue_json: null },
  }
}

function unknownEnd(row: Sandbox, now: number): BootEnd {
  return { bootId: row.boot_id ?? '', cause: 'unknown', at: now, detail: '' }
}

function ended(row: Sandbox, end: BootEnd): Outcome {
  const wasPaused = row.state === 'paused'
  const intended = intendedCause(row)
  const cause = intended ?? ({ code: `ended-${end.cause}`, detail: end.detail, pausedAt: row.paused_at } as const)
  const detail: Sandbox['detail'] =
    intended === null
      ? { code: `ended.${end.cause}`, params: { detail: end.detail } }
      : { code: intended.code, params: {} }
  // A boot that a rewind restored comes with the host’s response, which is still awaited.
  const intent = row.intent?.kind === 'rewind' ? row.intent : null
  return {
    changed: { ...memoryGone, boot_id: null, awake_since: null, detail, cause, intent },
    effects: [
      wasPaused
        ? log({ code: 'memory-lost', params: { cause: cause.code } })
        : log({ code: 'ended', params: { cause: end.cause } }),
      ...(intended === null ? [{ type: 'report-stopped' as const, end }] : []),
      { type: 'release-capacity' },
    ],
  }
}

/** Why a boot ended by an order of this server whose response was lost; null if no order ended it. */
function intendedCause({ intent, state, paused_at: pausedAt }: Sandbox): StartCause | null {
  if (intent?.kind === 'rewind') return rewoundCause({ cause: intent.cause, problem: '' })
  if (intent?.kind !== 'demote' || state !== 'paused') return null
  return { code: 'memory-given-up', detail: demotionReasons[intent.reason], pausedAt }
}

function rewoundCause({ cause, problem }: Pick<Rewound, 'cause' | 'problem'>): StartCause {
  return { code: cause, detail: problem, pausedAt: null }
}

const demotionReasons = {
  time: 'Its retention time was over.',
  budget: 'Its disk space was needed.',
}

function demoted(row: Sandbox, { reason, problem, rescueJson, figures }: Demoted): Outcome {
  const why = demotionReasons[reason]
  const detail = problem === '' ? why : `${why} Nothing could be saved: ${problem}`
  return {
    changed: {
      ...memoryGone,
      boot_id: null,
      detail: { code: 'memory-given-up', params: {} },
      cause: { code: 'memory-given-up', detail, pausedAt: row.paused_at },
      intent: null,
    },
    memory: { rescue_json: rescueJson },
    effects: [log({ code: 'demoted', params: figures })],
  }
}

function pauseFinished(
  row: Sandbox,
  { paused: { sandbox, manifest, durationMs } }: Extract<LifecycleEvent, { type: 'pause-finished' }>,
  { now }: Facts,
): Outcome {
  const detail = row.detail ?? { code: 'paused.person', params: {} }
  const params = { ...detail.params, durationMs: Math.round(durationMs) }
  return {
    changed: {
      paused_at: now,
      is_frozen: sandbox.paused?.isFrozen === true ? 1 : 0,
      image_bytes: sandbox.paused?.imageBytes ?? null,
      awake_since: null,
      held_until: null,
      limit_announced: 0,
      detail,
      cause: null,
      intent: null,
    },
    memory: { manifest_json: manifest === null ? null : JSON.stringify(manifest), rescue_json: null },
    effects: [
      { type: 'clear-usage' },
      log({ code: `paused.${row.pause_cause ?? 'person'}`, params }),
      { type: 'release-capacity' },
    ],
  }
}

function pauseFailed(_: Sandbox, event: Extract<LifecycleEvent, { type: 'pause-failed' }>, { now }: Facts): Outcome {
  const { why } = event
  if (why === 'turn-began') return {}
  if (why === 'abandoned') return { changed: { used_at: now }, effects: [log({ code: 'pause-abandoned' })] }
  const params = { message: why.message }
  return { changed: { detail: { code: 'pause-failed', params } }, effects: [log({ code: 'pause-failed', params })] }
}
