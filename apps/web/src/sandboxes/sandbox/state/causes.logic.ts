import type { PauseCause } from '@threadbox/sdk'
import type { Phrase } from './phrase.ts'

type Params = Readonly<Record<string, string | number>>

const pausePhrases = {
  idle: 'cause-idle',
  person: 'cause-person',
  administrator: 'cause-administrator',
  'awake-limit': 'cause-awake-limit',
  room: 'cause-room',
  shutdown: 'cause-shutdown',
} as const satisfies Record<PauseCause, Phrase['key']>

const endPhrases = {
  stopped: 'cause-stopped',
  'memory-backstop': 'cause-memory-backstop',
  'killed-inside': 'cause-killed-inside',
  'killed-outside': 'cause-killed-outside',
  'machine-restarted': 'cause-machine-restarted',
  unknown: 'cause-unknown',
} as const

const otherPhrases = {
  'host.unreachable': 'cause-host-unreachable',
  'sandbox.disk-full': 'cause-disk-full',
  forked: 'cause-forked',
  rewound: 'cause-rewound',
  'rewind-undone': 'cause-rewind-undone',
  'from-agent': 'cause-from-agent',
  'memory-given-up': 'cause-memory-given-up',
  restarted: 'cause-restarted',
} as const

/** Why the sandbox was paused, to follow “Paused because …”. Undefined for a cause without a text. */
export function pausePhrase(cause: string, params: Params): Phrase | undefined {
  if (!isKeyOf(pausePhrases, cause)) return undefined
  if (cause === 'idle') {
    const minutes = Number(params.minutes)
    return Number.isFinite(minutes)
      ? { key: 'cause-idle', values: { time: { duration: minutes * 60_000 } } }
      : { key: 'cause-idle-plain' }
  }
  if (cause === 'awake-limit') {
    const hours = Number(params.hours)
    return Number.isFinite(hours)
      ? { key: 'cause-awake-limit', values: { time: { duration: hours * 3_600_000 } } }
      : { key: 'cause-awake-limit-plain' }
  }
  return { key: pausePhrases[cause] }
}

/** Why a boot ended, as the host recorded it. */
export function endPhrase(cause: string): Phrase | undefined {
  return isKeyOf(endPhrases, cause) ? { key: endPhrases[cause] } : undefined
}

/** The text for a sandbox’s `detail`: why it sleeps or failed. Undefined for codes without a text. */
export function causePhrase(detail: { code: string; params: Params } | null): Phrase | undefined {
  if (detail === null) return undefined
  const { code, params } = detail
  if (code.startsWith('paused.')) return pausePhrase(code.slice('paused.'.length), params)
  if (code.startsWith('ended.')) return endPhrase(code.slice('ended.'.length))
  return isKeyOf(otherPhrases, code) ? { key: otherPhrases[code] } : undefined
}

function isKeyOf<Table extends object>(table: Table, key: string): key is Extract<keyof Table, string> {
  return Object.hasOwn(table, key)
}
