import type { QuotaName, QuotaState } from '@threadbox/sdk'

/** From here on, little is left. */
export const warnShare = 0.8

/** What stays used until the person deletes something. */
const kept: readonly QuotaName[] = ['sandboxes', 'diskBytes']

/** The limits of which little is left for a while: the others change with every pause. */
export function nearLimits(states: readonly QuotaState[]): QuotaState[] {
  return states.filter(
    ({ quota, used, limit, resetsAt }) =>
      (resetsAt !== null || kept.includes(quota)) && limit !== null && used >= limit * warnShare,
  )
}

type Named = Pick<QuotaState, 'quota' | 'used' | 'limit' | 'resetsAt'>

/**
 * Names the notice about a limit, so that it is dismissed for one month. What doesn’t start again is announced once more when
 * nothing is left.
 */
function noticeOf({ quota, used, limit, resetsAt }: Named): string {
  return `${quota} ${resetsAt ?? (used >= (limit ?? used) ? `all of ${limit}` : limit)}`
}

/** `stored` is what this device keeps of dismissed notices. */
export function isDismissed(stored: string | null, state: Named): boolean {
  return (stored ?? '').split('|').includes(noticeOf(state))
}

/** What to keep when a notice is dismissed: those of `all` that still concern someone. */
export function withDismissed(stored: string | null, { all, state }: { all: readonly Named[]; state: Named }): string {
  const earlier = all.filter((other) => isDismissed(stored, other)).map(noticeOf)
  return [...earlier, noticeOf(state)].join('|')
}
