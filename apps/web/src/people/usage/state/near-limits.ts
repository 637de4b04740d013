import type { QuotaState } from '@threadbox/sdk'

/** From here on, little is left. */
export const warnShare = 0.8

/** The limits of which little is left and that start again: the others change with every pause. */
export function nearLimits(states: readonly QuotaState[]): QuotaState[] {
  return states.filter(({ used, limit, resetsAt }) => resetsAt !== null && limit !== null && used >= limit * warnShare)
}

type Named = Pick<QuotaState, 'quota' | 'resetsAt'>

/** Names the notice about a limit, so that it is dismissed for one month. */
function noticeOf({ quota, resetsAt }: Named): string {
  return `${quota} ${resetsAt ?? ''}`
}

/** `stored` is what this device keeps of dismissed notices. */
export function isDismissed(stored: string | null, state: Named): boolean {
  return (stored ?? '').split('|').includes(noticeOf(state))
}

/** What to keep when a notice is dismissed: those of `all` that still concern someone. */
export function withDismissed(stored: string | null, { all, state }: { all: readonly Named[]; state: Named }): string {
  const kept = all.filter((other) => isDismissed(stored, other)).map(noticeOf)
  return [...kept, noticeOf(state)].join('|')
}
