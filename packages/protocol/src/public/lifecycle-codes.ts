/**
 * Codes in a sandbox’s `detail.code`, in the lifecycle log, in a report’s `cause` and in notices, each with the params
 * of its sentence. The app has a text for each; it shows an unknown code as it is.
 */

/** Why a sandbox sleeps: `paused.<cause>` in `detail.code` and in the log, `cause` of the notice `sandbox-paused`. */
export const pauseCauses = {
  /** Idle for this long. */
  idle: ['minutes'],
  /** A person selected Pause now, wrote /pause, or called the API. */
  person: [],
  /** The owner or an admin paused it from the machine page. */
  administrator: [],
  /** It reached the limit of how long it can be awake. */
  'awake-limit': ['hours'],
  /** Another sandbox needed its memory. */
  room: [],
  /** The installation was shut down in order. */
  shutdown: [],
} as const
export type PauseCause = keyof typeof pauseCauses

/** Why memory, or the disk, was not used at a wake: `cause.code` of a report; `cause.detail` is what was measured. */
export const wakeCauses = [
  /** Discarded in order: the guaranteed time had ended, or its space was needed. */
  'memory-given-up',
  /** It began as a copy of another sandbox’s files. */
  'forked',
  /** The thread was rewound: its disk is an earlier one. */
  'rewound',
  /** A rewind was undone: its disk is again the one from before that rewind. */
  'rewind-undone',
  /** It began with an agent’s files. */
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

/** Whether a rewind or its undo replaced the disk: the sandbox did not sleep, and nothing was lost by accident. */
export function isExchangeCause(code: string | undefined): boolean {
  return code !== undefined && exchangeCauses.includes(code)
}

export type WakeCause = (typeof wakeCauses)[number]

/** Lines of the lifecycle log by code, with their params. In addition, `paused.<cause>` with `durationMs`. */
export const lifecycleLogCodes = {
  started: ['durationMs'],
  'start-failed': ['message'],
  'pause-failed': ['message'],
  /** It was needed while its memory was being saved, and continued. */
  'pause-abandoned': [],
  'woken.frozen': ['durationMs'],
  'woken.memory': ['durationMs'],
  'woken.disk': ['durationMs'],
  'woken.snapshot': ['durationMs'],
  'woken.new': ['durationMs'],
  'wake-failed': ['message'],
  'wake-queued': ['position', 'places'],
  /** The frozen copy in RAM was discarded; the memory image is kept. */
  'frozen-dropped': [],
  /** Memory was discarded in order, after this many variables and processes were saved. */
  demoted: ['variables', 'processes', 'durationMs'],
  'memory-lost': ['cause'],
  restarted: ['durationMs'],
  ended: ['cause'],
  held: ['until'],
  'hold-ended': [],
  'limits-changed': [],
  'policy-changed': [],
  /** Deleted with the sandbox after this long without use; the conversation stays. */
  'files-removed': ['days'],
  /** Its files are in the archive from then on, in this size. */
  archived: ['bytes'],
  'restored-from-archive': ['durationMs'],
} as const
export type LifecycleLogCode = keyof typeof lifecycleLogCodes | `paused.${PauseCause}`

/**
 * Params of the notices. `folders` is JSON: `[{"path":"/home/user/data","bytes":123}]`, largest first. Every param of
 * `sandbox-status` can be missing: what was not measured is not shown.
 */
export const lifecycleNoticeParams = {
  'sandbox-paused': ['cause', 'minutes', 'hours'],
  'sandbox-waiting': ['position', 'places', 'reason'],
  'awake-limit-near': ['pauseAt', 'hours', 'process'],
  'retention-near': ['removedAt'],
  'disk-nearly-full': ['usedBytes', 'limitBytes', 'folders'],
  'sandbox-status': ['state', 'since', 'memoryBytes', 'diskBytes', 'processes', 'ports', 'pauseAt', 'memoryUntil'],
} as const
