import type { LifecycleLogEntry } from '@threadbox/sdk'
import type { GlyphState } from '../../../ui/glyph.tsx'

/** How a line of the log is drawn: with the glyph of a state, or as a dot where it is none. */
export type LogMark = { glyph: GlyphState | null; isWake: boolean }

/** The mark of a line on the log's own thread line. Null for what is no state. */
export function logMark(code: string): LogMark {
  if (code.startsWith('paused.')) return { glyph: 'paused', isWake: false }
  if (code === 'woken.frozen' || code === 'woken.memory') return { glyph: 'active', isWake: true }
  if (code.startsWith('woken.') || code === 'restarted') return { glyph: 'cold', isWake: true }
  if (code === 'started') return { glyph: 'active', isWake: false }
  if (code.endsWith('-failed')) return { glyph: 'error', isWake: false }
  if (code === 'demoted' || code === 'memory-lost' || code === 'ended') return { glyph: 'cold', isWake: false }
  if (code === 'wake-queued') return { glyph: 'pausing', isWake: false }
  return { glyph: null, isWake: false }
}

/**
 * For each line, newest first, whether the sandbox slept between it and the line below (the one before it in time): so
 * the log is dashed where time passed asleep.
 */
export function sleptBelow(log: readonly { code: string }[]): boolean[] {
  let isAsleep = false
  return log.map(({ code }) => {
    if (logMark(code).isWake) isAsleep = true
    else if (code.startsWith('paused.') || code === 'started' || code === 'ended') isAsleep = false
    return isAsleep
  })
}

/** How long it took, in ms, where the line says so. */
export function logDuration(entry: LifecycleLogEntry): number | undefined {
  const duration = Number(entry.params.durationMs)
  return entry.params.durationMs === undefined || !Number.isFinite(duration) ? undefined : duration
}
