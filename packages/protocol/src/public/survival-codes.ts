/**
 * The codes of a survival report, each with the params of its text. The app has a text for every one of them; for an
 * unknown code it shows the English text next to the code. Codes are stored with reports: they are added, never
 * renamed.
 *
 * Some params are codes themselves: `span`, `why`, `how`, and `obstacle`, listed below. `at` is in ms since the epoch,
 * `detail` another program’s text.
 */

/** Which two points in time a report compares. */
export const survivalSpans = ['pause', 'rewind', 'undo'] as const
export type SurvivalSpan = (typeof survivalSpans)[number]

/**
 * `why` something wasn’t checked. The first ones are why it is missing in a manifest. `asleep`: the sandbox was paused
 * again before the check. `silent`: it didn’t respond.
 */
export const uncheckedCauses = [
  'failed',
  'not-answering',
  'unreadable',
  'too-many',
  'glance',
  'asleep',
  'silent',
] as const

/** `how` memory ended. `not-restored`: by a rewind, or its undo, that restored files only. */
export const memoryEnds = ['discarded', 'not-restored'] as const

/** Why an ended process can’t be restarted as it was. */
export const restartObstacles = [
  'shell-part',
  'terminal',
  'python-helper',
  'no-command-line',
  'no-directory',
  'piped-input',
  'program-from-input',
  'unknown',
] as const
export type RestartObstacle = (typeof restartObstacles)[number]

/** Why an item has its outcome: `because` of an item. */
export const survivalReasons = {
  'not-checked': [],
  'unread-before': ['span', 'why', 'detail'],
  'unread-after': ['span', 'why', 'detail'],
  'not-checked-after': ['span', 'why'],
  'not-checked-why': ['why'],
  'nothing-recorded': ['span'],
  'nothing-recorded-then': [],
  'stopped-unrecorded': [],
  'not-recorded': ['span'],

  'process-gone': [],
  'process-restarted': ['pid'],
  'process-other-program': ['command'],
  'process-renamed': ['command'],
  /** It ended with the memory. */
  ended: ['how'],
  'ended-restartable': ['how'],
  'ended-obstacle': ['how', 'obstacle'],
  restarted: [],
  'service-responds': [],
  'service-silent': [],
  'service-waiting': [],
  'service-failed': ['detail'],

  'port-closed': [],
  'port-holder-unknown': [],
  'port-restarted': [],
  'port-taken': ['pid'],

  'connection-closed': [],
  'connection-closed-by-peer': [],
  'connection-dropped': [],
  'connection-new-address': [],
  'connection-peer-unknown': [],
  'connection-unix-peer-unknown': [],

  /** For anything but a process. */
  'memory-discarded': [],
  'not-restored': [],
  'not-saved': [],
  'saved-not-restorable': [],
  'saved-waiting': [],
  'saved-waiting-older': ['at'],
  'saved-waiting-earlier': [],
  'restored-not-checked': [],
  'saved-not-present': [],
  restored: [],
  'older-value': ['at'],
  'earlier-value': [],
  'kernel-not-recorded': ['span'],
  'kernel-exited': [],
  'python-busy': [],
  'same-object': [],
  'same-type': [],
  'variable-gone': [],
  'value-changed': [],
  'type-changed': ['type'],

  'session-ended': [],
  'directory-changed': ['path'],
  'no-longer-set': [],
  'parts-no-longer-set': ['names'],
  'parts-changed': ['names'],
  'value-not-compared': [],

  'package-removed': [],
  'package-changed': ['version'],

  'open-file-closed': [],
  'open-file-shorter': ['bytes'],
  'file-gone': [],
  'files-gone': [],
  'file-changed': ['span'],
  'file-written-by-kept': ['span'],
  'file-same': ['span'],
  'file-extended': ['span', 'count'],
  'cache-removed': ['span', 'count'],
  'cache-changed': ['span', 'count'],
  'no-pause-snapshot': [],
  'no-earlier-snapshot': [],
  'older-disk': [],
  'disk-gone': [],
} as const satisfies Record<string, readonly string[]>
export type SurvivalReasonCode = keyof typeof survivalReasons

/** What an item without its own name stands for: `standsFor` of an item. */
export const survivalGroups = {
  'everything-running': [],
  'shell-session': [],
  'all-variables': [],
  'kernel-variables': ['kernel'],
  'more-variables': ['count', 'kernel'],
  'all-packages': [],
  'installed-packages': [],
  'all-files': [],
  'disk-files': [],
  'later-files': [],
  'more-files': ['count'],
  'other-files': [],
} as const satisfies Record<string, readonly string[]>
export type SurvivalGroupCode = keyof typeof survivalGroups

/** Details by which to recognize an item: `facts` of an item. */
export const survivalFacts = {
  process: ['pid'],
  'open-file': ['bytes', 'pid'],
  'memory-file': ['bytes'],
  'new-files': ['count'],
} as const satisfies Record<string, readonly string[]>
export type SurvivalFactsCode = keyof typeof survivalFacts

/** A code with its params. */
export type Coded<Codes extends Record<string, readonly string[]>> = {
  [Code in keyof Codes & string]: { code: Code; params: Record<Codes[Code][number], string | number> }
}[keyof Codes & string]
