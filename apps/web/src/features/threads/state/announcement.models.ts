import type { ThreadState, Turn } from '@threadbox/sdk'

/** What a screen reader is told when a turn ends: how it ended and what it did. */
export type Announcement = {
  turnId: string
  outcome: 'finished' | 'stopped' | 'failed'
  commands: number
  files: number
}

/** The announcement for the turn that ended between two states, if one did. */
export function announcementOf(before: ThreadState, after: ThreadState): Announcement | undefined {
  const ended = Object.values(after.turns).find(
    (turn) => turn.status !== 'running' && before.turns[turn.id]?.status === 'running',
  )
  return ended === undefined ? undefined : describe(ended, after)
}

function describe(turn: Turn, state: ThreadState): Announcement {
  const calls = state.entries.filter((entry) => entry.kind === 'tool-call' && entry.turnId === turn.id)
  const countOf = (tools: readonly string[]) =>
    calls.filter((entry) => entry.kind === 'tool-call' && tools.includes(entry.tool)).length
  return {
    turnId: turn.id,
    outcome: turn.status === 'running' ? 'finished' : turn.status,
    commands: countOf(['run_command', 'run_python']),
    files: countOf(['write_file', 'edit_file', 'share_file']),
  }
}
