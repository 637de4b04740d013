import type { PreviewCheck, PreviewProblem } from '@threadbox/sdk'

/** The last message of the check page; null if none came. */
export type BrowserProbe = { hasCookie: boolean; socket: 'asked' | 'open' | 'blocked' } | null

/**
 * The result for one thing that previews need from this browser. `problem` is null unless `status` is `warning` or
 * `failed`.
 */
export type PreviewFinding = {
  aspect: 'names' | 'cookies' | 'sockets'
  status: 'ok' | 'warning' | 'failed' | 'skipped'
  problem: PreviewProblem | null
}

/** Parses a message of this check; null for any other message. */
export function probeOf(data: unknown, id: string): BrowserProbe {
  if (typeof data !== 'object' || data === null) return null
  const message = data as Record<string, unknown>
  const { socket } = message
  if (message.threadbox !== 'preview-check' || message.id !== id) return null
  if (socket !== 'asked' && socket !== 'open' && socket !== 'blocked') return null
  return { hasCookie: message.hasCookie === true, socket }
}

/** One finding per aspect. Aspects that couldn’t be checked because an earlier one failed are skipped. */
export function findingsOf(check: PreviewCheck, probe: BrowserProbe): PreviewFinding[] {
  const { unavailable, problems } = check
  if (unavailable !== null || probe === null) {
    const names = { aspect: 'names', status: 'failed', problem: unavailable ?? problems.unreachable } as const
    return [names, { aspect: 'cookies', ...skipped }, { aspect: 'sockets', ...skipped }]
  }
  const hasSocket = probe.socket === 'open'
  return [
    { aspect: 'names', ...fine },
    probe.hasCookie
      ? { aspect: 'cookies', ...fine }
      : { aspect: 'cookies', status: 'failed', problem: problems.cookies },
    hasSocket ? { aspect: 'sockets', ...fine } : { aspect: 'sockets', status: 'warning', problem: problems.sockets },
  ]
}

/** Why this browser can’t show previews; null if it can. */
export function obstacleOf(findings: readonly PreviewFinding[]): PreviewProblem | null {
  return findings.find(({ status }) => status === 'failed')?.problem ?? null
}

const fine = { status: 'ok', problem: null } as const
const skipped = { status: 'skipped', problem: null } as const
