/**
 * The codes that stand in `detail.code` of a sandbox, in the lifecycle log, in a report's `cause` and in notices, each
 * with the params that its sentence needs. The app has words for every one of them; it shows a code that it does not
 * know as it is.
 */

/** Why a sandbox sleeps: `paused.<cause>` in `detail.code` and in the log, `cause` of the notice `sandbox-paused`. */
export const pauseCauses = {
  /** Nothing happened for so long. */
  idle: ['minutes'],
  /** A person pressed Pause now, wrote /pause, or called the API. */
  person: [],
  /** It was awake for as long as it may be. */
  'awake-limit': ['hours'],
  /** Its place was needed for another one. */
  room: [],
  /** The installation went down in good order. */
  shutdown: [],
} as const
export type PauseCause = keyof typeof pauseCauses

/** Why memory, or the disk, was not used at a wake: `cause.code` of a report; `cause.detail` is what was measured. */
export const wakeCauses = [
  /** Given up gracefully: the guaranteed time was over, or its room was needed. */
  'memory-given-up',
  /** It began as a copy of the files of another one. */
  'forked',
  /** The thread was rewound: its disk is that of an earlier moment. */
  'rewound',
  /** A rewind was undone: its disk is again what it was before that rewind. */
  'rewind-undone',
  /** It began with the files that an agent has. */
  'from-agent',
  /** A person asked for a restart. */
  'restarted',
  'memory-missing',
  'memory-corrupt',
  'memory-consumed',
  'memory-other-version',
  'memory-cpu-features',
  'memory-disk-changed',
  'memory-restore-failed',
  'memory-guest-silent',
  'disk-missing',
  'disk-unusable',
  'ended-stopped',
  'ended-memory-backstop',
  'ended-killed-inside',
  'ended-killed-outside',
  'ended-machine-restarted',
  'ended-unknown',
] as const
const exchangeCauses: readonly string[] = ['rewound', 'rewind-undone'] satisfies WakeCause[]

/** Whether the disk was exchanged, for that of an earlier moment or back: it did not sleep, and nothing was lost by accident. */
export function isExchangeCause(code: string | undefined): boolean {
  return code !== undefined && exchangeCauses.includes(code)
}

export type WakeCause = (typeof wakeCauses)[number]

/** Lines of the lifecycle log by code, with their params. Besides them `paused.<cause>` with `durationMs`. */
export const lifecycleLogCodes = {
  started: ['durationMs'],
  'start-failed': ['message'],
  'pause-failed': ['message'],
  /** It was wanted while its memory was being saved, and went on. */
  'pause-abandoned': [],
  'woken.frozen': ['durationMs'],
  'woken.memory': ['durationMs'],
  'woken.disk': ['durationMs'],
  'woken.snapshot': ['durationMs'],
  'woken.new': ['durationMs'],
  'wake-failed': ['message'],
  'wake-queued': ['position', 'places'],
  /** The frozen copy in RAM was given up; the memory image is still there. */
  'frozen-dropped': [],
  /** Memory was given up gracefully; so many variables and processes were written down. */
  demoted: ['variables', 'processes', 'durationMs'],
  'memory-lost': ['cause'],
  restarted: ['durationMs'],
  ended: ['cause'],
  held: ['until'],
  'hold-ended': [],
  'limits-changed': [],
  'policy-changed': [],
  /** Removed with the sandbox after so long without use; the conversation stays. */
  'files-removed': ['days'],
} as const
export type LifecycleLogCode = keyof typeof lifecycleLogCodes | `paused.${PauseCause}`

/**
 * Params of the notices. `folders` is JSON: `[{"path":"/home/user/data","bytes":123}]`, largest first. Of
 * `sandbox-status` every param may be missing: what was not measured is not shown.
 */
export const lifecycleNoticeParams = {
  'sandbox-paused': ['cause', 'minutes', 'hours'],
  'sandbox-waiting': ['position', 'places'],
  'awake-limit-near': ['pauseAt', 'hours', 'process'],
  'retention-near': ['removedAt'],
  'disk-nearly-full': ['usedBytes', 'limitBytes', 'folders'],
  'sandbox-status': ['state', 'since', 'memoryBytes', 'diskBytes', 'processes', 'ports', 'pauseAt', 'memoryUntil'],
} as const
