import type { Terminal, TerminalStatus } from '@threadbox/protocol/public'
import type { SandboxFacts } from '../services/services.logic.ts'
import type { TerminalRow } from './terminals.table.ts'

const firstTitle = 'bash'

/** Status of a terminal, as far as its sandbox’s record shows. */
export function statusOf(
  row: Pick<TerminalRow, 'boot_id' | 'exit_code'>,
  sandbox: SandboxFacts | undefined,
): TerminalStatus {
  if (row.exit_code !== null) return 'ended'
  if (sandbox === undefined || sandbox.bootId !== row.boot_id) return 'lost'
  switch (sandbox.state) {
    case 'active':
      return 'running'
    case 'pausing':
    case 'paused':
    case 'waking':
      return 'suspended'
    default:
      return 'lost'
  }
}

export function presentTerminal(row: TerminalRow, sandbox: SandboxFacts | undefined): Terminal {
  const { id, title, created_at, exit_code } = row
  return { id, title, status: statusOf(row, sandbox), exitCode: exit_code, createdAt: created_at }
}

/** `bash`, or `bash` with the first free number. */
export function freeTitle(rows: readonly Pick<TerminalRow, 'title'>[]): string {
  const taken = new Set(rows.map(({ title }) => title))
  for (let number = 1; ; number += 1) {
    const title = number === 1 ? firstTitle : `${firstTitle} ${number}`
    if (!taken.has(title)) return title
  }
}
