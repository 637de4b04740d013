import type { ThreadState, Turn } from '@threadbox/sdk'

/** What screen readers announce when a turn ends: how it ended and what it did. */
export type Announcement = {
  turnId: string
  outcome: 'finished' | 'stopped' | 'failed'
  commands: number
  files: number
}

/**
 * The announcement for the latest turn if it ended between two states, even if it also began between them. Without an
 * earlier state, only the turn that this page requested (`awaitedTurnId`) is announced.
 */
export function announcementOf(
  before: ThreadState | null,
  after: ThreadState,
  awaitedTurnId?: string,
): Announcement | undefined {
  const latestId = after.entries.findLast((entry) => entry.turnId !== '')?.turnId ?? ''
  const latest = after.turns[latestId]
  if (latest === undefined || latest.status === 'running') return undefined
  const earlier = before?.turns[latestId]
  if (before === null ? latestId !== awaitedTurnId : earlier !== undefined && earlier.status !== 'running') {
    return undefined
  }
  return describe(latest, after)
}

function describe(turn: Turn, state: ThreadState): Announcement {
  const calls = state.entries.flatMap((entry) =>
    entry.kind === 'tool-call' && entry.turnId === turn.id ? [entry.tool] : [],
  )
  const countOf = (...tools: string[]) => calls.filter((tool) => tools.includes(tool)).length
  return {
    turnId: turn.id,
    outcome: turn.status === 'running' ? 'finished' : turn.status,
    commands: countOf('run_command', 'run_python'),
    files: countOf('write_file', 'edit_file', 'share_file'),
  }
}
