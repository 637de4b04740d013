import type { ToolCallEntry } from '@threadbox/sdk'
import { plainOutput } from '../../../page/content/state/ansi.logic.ts'
import { outcomeOf } from './call.logic.ts'

/** The setting whose limit a call reached. `quote`: the program’s own output, if only that shows it. */
export type LimitHit = {
  setting: 'sandboxMemoryBytes' | 'sandboxProcesses' | 'sandboxDiskBytes'
  quote: string | null
}

const byCode: Readonly<Record<string, LimitHit['setting']>> = {
  'command.out-of-memory': 'sandboxMemoryBytes',
  'command.out-of-processes': 'sandboxProcesses',
  'sandbox.disk-full': 'sandboxDiskBytes',
}

/** What programs print when the system denies them more: texts of the C library, Python and Node. */
const words: readonly { setting: LimitHit['setting']; pattern: RegExp }[] = [
  { setting: 'sandboxDiskBytes', pattern: /No space left on device|Disk quota exceeded/ },
  {
    setting: 'sandboxProcesses',
    pattern:
      /(?:fork|clone|spawn|pthread_create)\b.*Resource temporarily unavailable|can't start new thread|BlockingIOError: \[Errno 11\]/i,
  },
  { setting: 'sandboxMemoryBytes', pattern: /\bMemoryError\b|Cannot allocate memory|heap out of memory/ },
]
const quoteCharacters = 160

/** The sandbox limit that a call reached; null for a call that succeeded, whatever it printed. */
export function limitHitOf(entry: ToolCallEntry): LimitHit | null {
  const outcome = outcomeOf(entry)
  if (outcome === 'ok' || outcome === 'waiting') return null
  const known = entry.error === null ? undefined : byCode[entry.error.code]
  if (known !== undefined) return { setting: known, quote: null }
  const traceback = entry.result?.kind === 'python' ? (entry.result.traceback ?? '') : ''
  const lines = plainOutput(`${entry.output.tail}\n${traceback}`).split('\n')
  for (const { setting, pattern } of words) {
    const line = lines.findLast((candidate) => pattern.test(candidate))
    if (line !== undefined) return { setting, quote: line.trim().slice(0, quoteCharacters) }
  }
  return null
}
