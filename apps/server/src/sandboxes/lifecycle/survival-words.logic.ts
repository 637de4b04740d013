import type {
  Coded,
  memoryEnds,
  RestartObstacle,
  SurvivalFactsCode,
  SurvivalGroupCode,
  SurvivalReasonCode,
  SurvivalSpan,
  survivalFacts,
  survivalGroups,
  survivalReasons,
  uncheckedCauses,
} from '@threadbox/protocol/public'

export type Because = Coded<typeof survivalReasons>
export type StandsFor = Coded<typeof survivalGroups>
export type Facts = Coded<typeof survivalFacts>

/** One text, or two by the number in `count`. */
type Words = string | { one: string; other: string }

/**
 * The English text of a survival report, for readers of the API and for the model. The app has the same texts, and
 * those of other languages, under the same keys (`report` in its `lifecycle` texts).
 */
export const survivalWords: {
  before: Record<SurvivalSpan, string>
  after: Record<SurvivalSpan, string>
  since: Record<SurvivalSpan, string>
  why: Record<(typeof uncheckedCauses)[number], string>
  how: Record<(typeof memoryEnds)[number], string>
  obstacle: Record<RestartObstacle, string>
  because: Record<SurvivalReasonCode, Words>
  standsFor: Record<SurvivalGroupCode, Words>
  facts: Record<SurvivalFactsCode, Words>
} = {
  before: { pause: 'before the pause', rewind: 'at that point', undo: 'before the rewind' },
  after: { pause: 'after the wake', rewind: 'after the rewind', undo: 'after the rewind was undone' },
  since: { pause: 'after the pause', rewind: 'after the rewind', undo: 'after the rewind was undone' },
  why: {
    failed: '{{detail}}',
    'not-answering': 'the Python kernel doesn’t respond: {{detail}}',
    unreadable: 'they can’t be listed.',
    'too-many': 'there are too many.',
    glance: 'only what is quick to read was read.',
    asleep: 'the sandbox was paused again before the check.',
    silent: 'it didn’t respond.',
  },
  how: {
    discarded: 'It ended when memory was discarded.',
    'not-restored': 'It was running at that point, and the memory from then wasn’t restored.',
  },
  obstacle: {
    'shell-part': 'It was a background part of a shell command, which only memory holds.',
    terminal: 'It ran in a terminal that no longer exists.',
    'python-helper': 'It was a helper process of the Python kernel.',
    'no-command-line': 'Its command line is unknown.',
    'no-directory': 'Its working directory no longer exists.',
    'piped-input': 'Its input came from another program.',
    'program-from-input': 'It read its program from standard input.',
    unknown: 'It can’t be restarted.',
  },
  because: {
    'not-checked': 'Couldn’t be checked.',
    'unread-before': 'Couldn’t be checked {{before}}: {{why}}',
    'unread-after': 'Couldn’t be checked {{after}}: {{why}}',
    'not-checked-after': 'The sandbox couldn’t be checked {{after}}: {{why}}',
    'not-checked-why': 'Couldn’t be checked: {{why}}',
    'nothing-recorded': 'What was running couldn’t be recorded {{before}}.',
    'nothing-recorded-then':
      'What was running at that point wasn’t recorded, and the memory from then wasn’t restored.',
    'stopped-unrecorded': 'The sandbox stopped before what was running could be recorded.',
    'not-recorded': 'They weren’t recorded {{before}}.',

    'process-gone': 'It’s no longer running.',
    'process-restarted': 'The same command is running again as PID {{pid}}.',
    'process-other-program': 'The process is now running another program: {{command}}',
    'process-renamed': 'The process changed its command line: {{command}}',
    ended: '{{how}}',
    'ended-restartable': '{{how}} It can be restarted.',
    'ended-obstacle': '{{how}} {{obstacle}}',
    restarted: 'It was restarted.',
    'service-responds': 'It was restarted and its port responds.',
    'service-silent': 'It was restarted; its port doesn’t respond yet.',
    'service-waiting': 'It hasn’t been restarted yet.',
    'service-failed': 'It was restarted and failed: {{detail}}',

    'port-closed': 'Nothing is listening on this port anymore.',
    'port-holder-unknown': 'Something is listening, but it’s unknown whether it’s the same process.',
    'port-restarted': 'The same command was restarted and is listening.',
    'port-taken': 'Another process (PID {{pid}}) is listening now.',

    'connection-closed': 'It was closed.',
    'connection-closed-by-peer': 'The other side closed it.',
    'connection-dropped': 'Closed: the other side dropped it.',
    'connection-new-address': 'Closed: the sandbox has a new address.',
    'connection-peer-unknown': 'Open on this side. Whether the other side kept it open will show when data is sent.',
    'connection-unix-peer-unknown': 'Open on this side, but other Unix sockets closed and its peer may be one of them.',

    'memory-discarded': 'It was in memory, which was discarded.',
    'not-restored': 'It was in memory at that point, and the memory from then wasn’t restored.',
    'not-saved': 'It was in memory and wasn’t saved before memory was lost.',
    'saved-not-restorable': 'It’s saved on disk, but couldn’t be restored.',
    'saved-waiting': 'It’s saved on disk and will be restored before the first Python cell.',
    'saved-waiting-older': 'A value from {{at}} is saved on disk and will be restored before the first Python cell.',
    'saved-waiting-earlier':
      'A value from an earlier pause is saved on disk and will be restored before the first Python cell.',
    'restored-not-checked': 'It was restored, but Python couldn’t be checked afterwards.',
    'saved-not-present': 'It was saved, but doesn’t exist in Python now.',
    restored: 'Saved to disk and restored.',
    'older-value': 'Python has its value from {{at}}. Later changes, if any, are lost.',
    'earlier-value': 'Python has its value from an earlier pause. Later changes, if any, are lost.',
    'kernel-not-recorded': 'Its variables couldn’t be recorded {{before}}: it didn’t respond.',
    'kernel-exited': 'Its Python kernel exited.',
    'python-busy': 'Python is busy and may have changed it.',
    'same-object': 'Same object; its contents weren’t compared.',
    'same-type': 'Present with the same type; its contents couldn’t be compared.',
    'variable-gone': 'It no longer exists in Python.',
    'value-changed': 'Its value changed.',
    'type-changed': 'Its type is now {{type}}.',

    'session-ended': 'The session ended when memory was lost. A new one starts.',
    'directory-changed': 'Its working directory is now {{path}}.',
    'no-longer-set': 'No longer set.',
    'parts-no-longer-set': 'No longer set: {{names}}.',
    'parts-changed': 'Changed: {{names}}.',
    'value-not-compared': 'Set; its value couldn’t be compared.',

    'package-removed': 'No longer installed.',
    'package-changed': 'Now version {{version}}.',

    'open-file-closed': 'No process has it open anymore.',
    'open-file-shorter': 'Now only {{bytes}} bytes.',
    'file-gone': 'No longer exists.',
    'files-gone': 'No longer exist.',
    'file-changed': 'Changed {{since}}.',
    'file-written-by-kept': 'Written {{since}}, by a process that was kept.',
    'file-same': 'Written {{since}}: its contents are the same as before.',
    'file-extended': {
      one: 'Written {{since}}: the previous contents are unchanged, followed by {{count}} byte.',
      other: 'Written {{since}}: the previous contents are unchanged, followed by {{count}} bytes.',
    },
    'cache-removed': {
      one: '{{count}} file in it was removed {{since}}.',
      other: '{{count}} files in it were removed {{since}}.',
    },
    'cache-changed': {
      one: '{{count}} file in it was changed {{since}}.',
      other: '{{count}} files in it were changed {{since}}.',
    },
    'no-pause-snapshot': 'There’s no snapshot from the pause to compare with.',
    'no-earlier-snapshot': 'There’s no earlier snapshot to compare with.',
    'older-disk': 'The disk is an older copy.',
    'disk-gone': 'The sandbox’s disk no longer exists.',
  },
  standsFor: {
    'everything-running': 'everything that was running',
    'shell-session': 'shell session',
    'all-variables': 'all Python variables',
    'kernel-variables': 'all variables of {{kernel}}',
    'more-variables': { one: '{{count}} more variable of {{kernel}}', other: '{{count}} more variables of {{kernel}}' },
    'all-packages': 'all packages',
    'installed-packages': 'all packages that were installed',
    'all-files': 'all files',
    'disk-files': 'files on the disk',
    'later-files': 'everything written after the snapshot',
    'more-files': { one: '{{count}} more file', other: '{{count}} more files' },
    'other-files': 'all other files',
  },
  facts: {
    process: 'PID {{pid}}',
    'open-file': '{{bytes}} bytes, PID {{pid}}',
    'memory-file': '{{bytes}} bytes, in memory',
    'new-files': '{{count}} new',
  },
}

type Params = Record<string, string | number>
type ParamsOf<Code extends SurvivalReasonCode> = Record<(typeof survivalReasons)[Code][number], string | number>

/** A reason with exactly the params that its text needs. */
export function because<Code extends SurvivalReasonCode>(
  code: Code,
  ...[params]: (typeof survivalReasons)[Code] extends readonly [] ? [] : [ParamsOf<Code>]
): Because {
  return { code, params: params ?? {} } as Because
}

export function reasonOf({ code, params }: Because): string {
  return textOf(survivalWords.because[code], params)
}

export function nameOfGroup({ code, params }: StandsFor): string {
  return textOf(survivalWords.standsFor[code], params)
}

export function detailOf({ code, params }: Facts): string {
  return textOf(survivalWords.facts[code], params)
}

function textOf(words: Words, params: Params): string {
  const template = typeof words === 'string' ? words : params.count === 1 ? words.one : words.other
  return filled(template, { ...params, ...wordsOfCodes(params) })
}

/** Texts of params that are codes themselves. */
function wordsOfCodes(params: Params): Params {
  const { span, why, how, obstacle, at } = params
  return {
    ...(span === undefined ? {} : spanWords(span as SurvivalSpan)),
    ...(why === undefined ? {} : { why: filled(known(survivalWords.why, why), params) }),
    ...(how === undefined ? {} : { how: known(survivalWords.how, how) }),
    ...(obstacle === undefined ? {} : { obstacle: known(survivalWords.obstacle, obstacle) }),
    ...(typeof at === 'number' ? { at: new Date(at).toISOString() } : {}),
  }
}

function spanWords(span: SurvivalSpan): Params {
  const { before, after, since } = survivalWords
  return { before: before[span], after: after[span], since: since[span] }
}

function known(words: Record<string, string>, code: string | number): string {
  return words[code] ?? String(code)
}

function filled(template: string, values: Params): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
}
