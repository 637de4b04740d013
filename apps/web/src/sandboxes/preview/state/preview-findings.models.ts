import type { PreviewCheck, PreviewProblem } from '@threadbox/sdk'

/** What the page of a check said last; null when nothing came. */
export type Heard = { hasCookie: boolean; socket: 'asked' | 'open' | 'blocked' } | null

/** What was found about one thing that previews need of this browser. `problem` is null unless the status is a bad one. */
export type PreviewFinding = {
  aspect: 'names' | 'cookies' | 'sockets'
  status: 'ok' | 'warning' | 'failed' | 'skipped'
  problem: PreviewProblem | null
}

/** The message of a check, if it is one of this check's. */
export function heardOf(data: unknown, id: string): Heard {
  if (typeof data !== 'object' || data === null) return null
  const message = data as Record<string, unknown>
  const { socket } = message
  if (message.threadbox !== 'preview-check' || message.id !== id) return null
  if (socket !== 'asked' && socket !== 'open' && socket !== 'blocked') return null
  return { hasCookie: message.hasCookie === true, socket }
}

/** One finding for each thing; what could not be looked at, because something before it fails, is skipped. */
export function findingsOf(check: PreviewCheck, heard: Heard): PreviewFinding[] {
  const { unavailable, problems } = check
  if (unavailable !== null || heard === null) {
    const names = { aspect: 'names', status: 'failed', problem: unavailable ?? problems.unreachable } as const
    return [names, { aspect: 'cookies', ...skipped }, { aspect: 'sockets', ...skipped }]
  }
  const hasSocket = heard.socket === 'open'
  return [
    { aspect: 'names', ...fine },
    heard.hasCookie
      ? { aspect: 'cookies', ...fine }
      : { aspect: 'cookies', status: 'failed', problem: problems.cookies },
    hasSocket ? { aspect: 'sockets', ...fine } : { aspect: 'sockets', status: 'warning', problem: problems.sockets },
  ]
}

/** Why no page of a preview can be shown in this browser; null when one can. */
export function obstacleOf(findings: readonly PreviewFinding[]): PreviewProblem | null {
  return findings.find(({ status }) => status === 'failed')?.problem ?? null
}

const fine = { status: 'ok', problem: null } as const
const skipped = { status: 'skipped', problem: null } as const
