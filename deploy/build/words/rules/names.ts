import type { NameRule } from './rule.ts'

/** Names that are declared in code, and names of files. */
export const nameRules: readonly NameRule[] = [
  {
    id: 'name-verb',
    pattern: /^(let|hear|tell|lay|heed)[A-Z]/,
    advice: 'Start with the verb of the field: notify, emit, open, shut down, allow.',
    of: ['value'],
  },
  {
    id: 'name-look',
    pattern: /^look(?!Up)(?![a-z])/,
    advice: 'Say check, inspect or probe.',
    of: ['value'],
  },
  {
    id: 'name-adverb',
    pattern: /(Then|Anew|Sofar|Elsewhere|ByItself|NoMore|Meanwhile|AtOnce)$/,
    advice: 'Name the result or the point in time: fresh, soFar, automatic, at….',
    of: ['value', 'type'],
  },
  {
    id: 'name-phrase',
    pattern:
      /(GoOn|Goon|GiveUp|TakeUp|TakeIn|TakeBack|GivenUp|TakenUp|TakenBack)|^(goOn|giveUp|takeUp|takeIn|takeBack)/,
    advice: 'Say continue, abort, discard, cancel, resume, parse or remove.',
    of: ['value', 'type'],
  },
  {
    id: 'name-question',
    pattern: /^is(There|Here|In|For|Any|Over|Again|Ours|News|Told)$/,
    advice: 'Say exists, contains, isAvailable, hasEnded, isSame….',
    of: ['value'],
  },
  {
    id: 'name-participle',
    pattern: /^(Taken|Told|Asked|Ran|Begun|Heard|Wanted|Found|Known|Kept|Spent|Printed|Pressed)$/,
    advice: 'A type is a noun that says what it holds.',
    of: ['type'],
  },
  {
    id: 'name-metaphor',
    pattern: /\b(furniture|verdict|offender|laggard|door|realm|birth|glance|cure|farewell|patience|wish)(e?s)?\b/,
    advice: 'Name the thing: runtime process, termination, baseline, fix, timeout, request.',
    of: ['value', 'type', 'file'],
    inWords: true,
  },
  {
    id: 'name-picture',
    pattern: /\bpictures?\b/,
    advice: 'Say image, screenshot or figure.',
    of: ['value', 'type', 'file'],
    inWords: true,
  },
  {
    id: 'name-parts',
    pattern: /[a-z]Parts$/,
    advice: 'Injected collaborators are dependencies.',
    of: ['type'],
  },
  {
    id: 'file-suffix',
    pattern: /\.models(\.|$)|-parts?\.tsx?$|-front(\.|$)/,
    advice: 'Pure functions are in *.logic.ts, wiring in *.module.ts, listeners in *-server.ts.',
    of: ['file'],
  },
]
