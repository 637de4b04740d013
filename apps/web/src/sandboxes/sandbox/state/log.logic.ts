import type { LifecycleLogEntry } from '@threadbox/sdk'
import type { GlyphState } from '../../../ui/glyph.tsx'

/** The mark of a log line: the glyph of a state, or a dot if `glyph` is null. */
export type LogMark = { glyph: GlyphState | null; isWake: boolean }

/** The mark of a line. `glyph` is null for events that aren’t states. */
export function logMark(code: string): LogMark {
  if (code.startsWith('paused.')) return { glyph: 'paused', isWake: false }
  if (code === 'woken.frozen' || code === 'woken.memory') return { glyph: 'active', isWake: true }
  if (code.startsWith('woken.') || code === 'restarted') return { glyph: 'cold', isWake: true }
  if (code === 'started') return { glyph: 'active', isWake: false }
  if (code.endsWith('-failed')) return { glyph: 'error', isWake: false }
  if (code === 'demoted' || code === 'memory-lost' || code === 'ended') return { glyph: 'cold', isWake: false }
  if (code === 'archived') return { glyph: 'archived', isWake: false }
  if (code === 'restored-from-archive') return { glyph: 'cold', isWake: false }
  if (code === 'wake-queued') return { glyph: 'pausing', isWake: false }
  return { glyph: null, isWake: false }
}

/**
 * For each line, newest first, whether the sandbox slept between it and the line below it (the earlier one). The log is
 * dashed there.
 */
export function sleepGaps(log: readonly { code: string }[]): boolean[] {
  let wasAsleep = false
  return log.map(({ code }) => {
    if (logMark(code).isWake) wasAsleep = true
    else if (code.startsWith('paused.') || code === 'started' || code === 'ended') wasAsleep = false
    return wasAsleep
  })
}

/** The duration of the event in ms, if the line contains one. */
export function logDuration(entry: LifecycleLogEntry): number | undefined {
  const duration = Number(entry.params.durationMs)
  return entry.params.durationMs === undefined || !Number.isFinite(duration) ? undefined : duration
}
