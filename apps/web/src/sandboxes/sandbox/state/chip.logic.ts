import type { SandboxView } from '@threadbox/sdk'
import type { GlyphState } from '../../../ui/glyph.tsx'
import { causePhrase } from './causes.logic.ts'
import type { Phrase } from './phrase.ts'

/** The state shown by chip, sidebar and panel: the state of the sandbox, or that it waits for memory. */
export type ShownState = SandboxView['state'] | 'waiting'

/** The glyph of each state. Starting and waiting spin like waking; a sandbox that is being deleted looks archived. */
const glyphs: Record<ShownState, GlyphState> = {
  fresh: 'fresh',
  starting: 'waking',
  active: 'active',
  pausing: 'pausing',
  paused: 'paused',
  waking: 'waking',
  waiting: 'waking',
  cold: 'cold',
  archived: 'archived',
  error: 'error',
  deleting: 'archived',
}

export function shownState(sandbox: SandboxView): ShownState {
  return sandbox.waiting === null || sandbox.waiting === undefined ? sandbox.state : 'waiting'
}

export function glyphOf(sandbox: SandboxView): GlyphState {
  return glyphs[shownState(sandbox)]
}

export function glyphOfState(state: ShownState): GlyphState {
  return glyphs[state]
}

/** The state of this name; `fresh` for unknown names. */
export function stateNamed(name: string): ShownState {
  return (Object.keys(glyphs) as ShownState[]).find((known) => known === name) ?? 'fresh'
}

/**
 * The sandbox with the mode of the running turn: a command in direct mode isn’t work of an agent. `undefined` changes
 * nothing.
 */
export function withTurnMode(sandbox: SandboxView, mode: 'agent' | 'direct' | undefined): SandboxView {
  const { awake } = sandbox
  if (mode === undefined || awake === null || awake === undefined) return sandbox
  const reasons = awake.reasons.map((found) => (found.reason === 'turn' ? { ...found, detail: mode } : found))
  return { ...sandbox, awake: { ...awake, reasons } }
}

/** The detail after the state in the chip; undefined if there is none. */
export function chipDetail(sandbox: SandboxView, now: number): Phrase | undefined {
  const shown = shownState(sandbox)
  switch (shown) {
    case 'waiting':
      return waitingPhrase(sandbox)
    case 'fresh':
      return { key: 'starts-with-command' }
    case 'active':
      return awakeDetail(sandbox)
    case 'pausing':
      return { key: 'about-a-second' }
    case 'paused':
    case 'cold':
      return agePhrase(now - sandbox.since)
    case 'waking':
      return { key: 'from-memory' }
    case 'archived':
      return restoringPhrase(sandbox) ?? { key: 'since-date', values: { date: { deadline: sandbox.since } } }
    case 'error':
      return causePhrase(sandbox.detail) ?? { key: 'could-not-start' }
    default:
      return undefined
  }
}

/** How much of its archived files has arrived; undefined while none are on their way. */
export function restoredPercent({ archive }: SandboxView): number | undefined {
  const restoredBytes = archive?.restoredBytes ?? null
  if (archive == null || restoredBytes === null) return undefined
  return archive.bytes === 0 ? 0 : Math.min(100, Math.floor((restoredBytes / archive.bytes) * 100))
}

function restoringPhrase(sandbox: SandboxView): Phrase | undefined {
  const percent = restoredPercent(sandbox)
  return percent === undefined ? undefined : { key: 'restoring', values: { percent } }
}

/** The position in the wake queue, as a sentence. */
export function waitingPhrase(sandbox: SandboxView): Phrase | undefined {
  const { waiting } = sandbox
  if (waiting === null || waiting === undefined) return undefined
  const { position, places, reason } = waiting
  if (reason === 'limit') return { key: 'waits-limit', values: { count: places, position } }
  return position <= 1
    ? { key: 'waits-next', values: { count: places } }
    : { key: 'waits-number', values: { count: places, position } }
}

/** The most informative reason first: what you would want to know before you pause the sandbox. */
const reasonOrder = ['turn', 'cpu', 'terminal', 'request', 'hold'] as const

function awakeDetail(sandbox: SandboxView): Phrase | undefined {
  const { awake, detail } = sandbox
  if (awake === null || awake === undefined) {
    return detail?.code === 'awake.turn' ? { key: 'agent-working' } : undefined
  }
  for (const reason of reasonOrder) {
    const found = awake.reasons.find((candidate) => candidate.reason === reason)
    if (found !== undefined) return shortReason(found, awake.heldUntil)
  }
  return awake.pauseAt === null ? undefined : { key: 'pauses-at', values: { at: { deadline: awake.pauseAt } } }
}

type AwakeReason = NonNullable<SandboxView['awake']>['reasons'][number]

function shortReason({ reason, detail }: AwakeReason, heldUntil: number | null): Phrase {
  switch (reason) {
    case 'turn':
      return detail === 'direct' ? { key: 'command-running' } : { key: 'agent-working' }
    case 'cpu':
      return detail === ''
        ? { key: 'processes-running' }
        : { key: 'process-running', values: { name: processName(detail) } }
    case 'terminal':
      return { key: 'somebody-typed' }
    case 'request':
      return detail === '' ? { key: 'service-used' } : { key: 'port-used', values: { port: detail } }
    case 'hold':
      return heldUntil === null ? { key: 'held' } : { key: 'held-until', values: { until: { deadline: heldUntil } } }
  }
}

function agePhrase(ageMs: number): Phrase {
  return ageMs < 60_000 ? { key: 'just-now' } : { key: 'age', values: { age: { age: ageMs } } }
}

const interpreters = /^(?:python|node|bash|sh|zsh|ruby|perl|deno|bun|php|java|Rscript)[\d.]*$/

/** The short name of a process: `python3 -u /home/user/training.py --epochs 20` is training.py. */
export function processName(commandLine: string): string {
  const [program = '', ...rest] = commandLine.trim().split(/\s+/)
  const name = lastPart(program)
  if (!interpreters.test(name)) return name === '' ? commandLine : name
  const moduleAt = rest.indexOf('-m')
  if (moduleAt >= 0 && rest[moduleAt + 1] !== undefined) return rest[moduleAt + 1] as string
  const script = rest.find((argument) => !argument.startsWith('-'))
  const isInline = rest.includes('-c') || rest.includes('-e')
  return script === undefined || isInline ? name : lastPart(script)
}

function lastPart(path: string): string {
  return path.split('/').at(-1) ?? path
}
