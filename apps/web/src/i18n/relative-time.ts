const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * A moment inside a sentence: relative within a day (`5 minutes ago`), then the date. Below a minute it is `now`, or the
 * seconds with `withSeconds`.
 */
export function relativeTime(at: number, options: { now: number; locale: string; withSeconds?: boolean }): string {
  const distance = at - options.now
  const relative = new Intl.RelativeTimeFormat(options.locale, { numeric: 'auto' })
  if (Math.abs(distance) < minuteMs) {
    return relative.format(options.withSeconds === true ? Math.trunc(distance / 1000) : 0, 'second')
  }
  if (Math.abs(distance) < hourMs) return relative.format(Math.trunc(distance / minuteMs), 'minute')
  if (Math.abs(distance) < dayMs) return relative.format(Math.trunc(distance / hourMs), 'hour')
  const isThisYear = new Date(at).getFullYear() === new Date(options.now).getFullYear()
  return new Intl.DateTimeFormat(options.locale, {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).format(at)
}
