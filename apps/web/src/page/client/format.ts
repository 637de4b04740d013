/** Formats numbers, sizes, durations and times for the given locale. Pure. */

const kilo = 1000

/** A size in a fitting unit: `84 kB`, `48.2 MB`. */
export function formatBytes(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / kilo ** power
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  }).format(value)
}

/** A size in powers of two, for memory and disks, in the units that fields of limits show: `4 GiB`, `512 MiB`. */
export function formatBinaryBytes(bytes: number, locale: string): string {
  const [unit, size] =
    bytes >= 1024 ** 3
      ? ['GiB', bytes / 1024 ** 3]
      : bytes >= 1024 ** 2 || bytes <= 0
        ? ['MiB', bytes / 1024 ** 2]
        : ['KiB', Math.ceil(bytes / 1024)]
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: unit === 'GiB' && size < 100 ? 1 : 0 })
  // Intl has no name for these units. A no-break space keeps the unit with its number.
  return `${number.format(size)}\u00a0${unit}`
}

type TimeUnit = 'millisecond' | 'second' | 'minute' | 'hour' | 'day'
const symbols: Record<TimeUnit, string> = { millisecond: 'ms', second: 's', minute: 'min', hour: 'h', day: 'd' }

/** A length of time in one unit. Its symbol is the same in every language, except in Japanese, which writes the word. */
function formatTime(value: number, unit: TimeUnit, locale: string, digits: Intl.NumberFormatOptions = {}): string {
  return isJapanese(locale)
    ? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', ...digits }).format(value)
    : `${new Intl.NumberFormat(locale, digits).format(value)} ${symbols[unit]}`
}

function isJapanese(locale: string): boolean {
  return /^ja\b/.test(locale)
}

/** How long something took: `240 ms`, `6.4 s`, `2 min 5 s`, `3 h 20 min`. */
export function formatDuration(milliseconds: number, locale: string): string {
  const unit = (value: number, name: TimeUnit, fractionDigits = 0) =>
    formatTime(value, name, locale, { maximumFractionDigits: fractionDigits })
  const elapsed = Math.max(0, milliseconds)
  if (elapsed < 1000) return unit(Math.round(elapsed), 'millisecond')
  const seconds = elapsed / 1000
  if (seconds < 59.5) return unit(seconds, 'second', seconds < 9.95 ? 1 : 0)
  const minutes = Math.floor(Math.round(seconds) / 60)
  if (minutes < 60) return join([unit(minutes, 'minute'), rest(Math.round(seconds) % 60, (n) => unit(n, 'second'))])
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return join([unit(hours, 'hour'), rest(minutes % 60, (n) => unit(n, 'minute'))])
  return join([unit(Math.floor(hours / 24), 'day'), rest(hours % 24, (n) => unit(n, 'hour'))])
}

/** A duration in seconds: `0.04 s`, `0.4 s`, from one second on as {@link formatDuration}. */
export function formatSeconds(milliseconds: number, locale: string): string {
  if (milliseconds >= 1000) return formatDuration(milliseconds, locale)
  const seconds = Math.max(0, milliseconds) / 1000
  return formatTime(seconds, 'second', locale, { maximumSignificantDigits: 1 })
}

/** The time since, in one unit, for narrow spaces: `2 h`, `9 d`. Seconds are not counted. */
export function formatShortAge(milliseconds: number, locale: string): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000)
  if (minutes < 60) return formatTime(Math.max(1, minutes), 'minute', locale)
  if (minutes < 24 * 60) return formatTime(Math.floor(minutes / 60), 'hour', locale)
  return formatTime(Math.floor(minutes / (24 * 60)), 'day', locale)
}

/** A point in time: the time of day if it is on the same day, else the date, with the year if it differs. */
export function formatMoment(at: number, options: { now: number; locale: string }): string {
  const moment = new Date(at)
  const today = new Date(options.now)
  const isSameDay = moment.toDateString() === today.toDateString()
  const isSameYear = moment.getFullYear() === today.getFullYear()
  return new Intl.DateTimeFormat(
    options.locale,
    isSameDay
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { day: 'numeric', month: 'short', ...(isSameYear ? {} : { year: 'numeric' }) },
  ).format(moment)
}

/** A point in time to the minute: `14:32` on the same day, `Mon 14:32` within six days, else the date and time. */
export function formatDeadline(at: number, options: { now: number; locale: string }): string {
  const moment = new Date(at)
  const today = new Date(options.now)
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  const isSameDay = moment.toDateString() === today.toDateString()
  const isNear = Math.abs(at - options.now) < 6 * 24 * 3_600_000
  const isSameYear = moment.getFullYear() === today.getFullYear()
  // Of a weekday alone, Intl writes the time first in Japanese.
  const near: Intl.DateTimeFormatOptions = isJapanese(options.locale)
    ? { weekday: 'short', day: 'numeric', month: 'numeric' }
    : { weekday: 'short' }
  const day: Intl.DateTimeFormatOptions = isNear
    ? near
    : { day: 'numeric', month: 'short', ...(isSameYear ? {} : { year: 'numeric' }) }
  return new Intl.DateTimeFormat(options.locale, isSameDay ? time : { ...day, ...time }).format(moment)
}

/** A point in time in a time zone; in the local one if the name is unknown. */
export function formatMomentIn(at: number, options: { timeZone: string; locale: string }): string {
  const { timeZone, locale } = options
  const parts: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }
  try {
    return new Intl.DateTimeFormat(locale, { ...parts, timeZone }).format(at)
  } catch {
    return new Intl.DateTimeFormat(locale, parts).format(at)
  }
}

/** A point in time with date and time, for tooltips. */
export function formatFullMoment(at: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at))
}

/** A number of tokens: `840`, `12.4K`. */
export function formatCount(count: number, locale: string): string {
  return new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(count)
}

/** Things in a row, without a word before the last. */
export function joinItems(items: readonly string[], locale: string): string {
  return items.join(isJapanese(locale) ? '、' : ', ')
}

/** Sentences in a row, without those that are empty. */
export function joinSentences(sentences: readonly string[], locale: string): string {
  return sentences.filter((sentence) => sentence !== '').join(isJapanese(locale) ? '' : ' ')
}

/** A price: cents and below keep two significant digits. */
export function formatUsd(amount: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    ...(amount !== 0 && Math.abs(amount) < 0.1
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  }).format(amount)
}

function rest(count: number, text: (count: number) => string): string {
  return count === 0 ? '' : text(count)
}

function join(parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}
