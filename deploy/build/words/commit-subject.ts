import { spawnSync } from 'node:child_process'

const maxLength = 65
/** Verbs that earlier commits used and that say nothing to a reader of the log. */
const vague = ['Let', 'Take', 'Say', 'Tell', 'Hear', 'Call']
/** Imperatives that end like another form. */
const imperatives = [
  'Address',
  'Embed',
  'Focus',
  'Need',
  'Pass',
  'Process',
  'Seed',
  'Speed',
  'Bypass',
  'Compress',
  'Access',
  'Express',
  'Discuss',
  'Dismiss',
  'Press',
  'Suppress',
  'Feed',
  'Shed',
]

/** Returns what is wrong with the subject of a commit. */
export function subjectProblems(subject: string): string[] {
  const [first = ''] = subject.split(/\s/)
  const looksOther =
    /^\p{L}+(ed|s|ing)$/u.test(first) && !imperatives.includes(first) && !/^(Br|R|S|Str|Sw|Spr)ing$/.test(first)
  return [
    ...(subject.length > maxLength ? [`has ${subject.length} characters; ${maxLength} are the limit`] : []),
    ...(subject.endsWith('.') ? ['ends with a period'] : []),
    ...(subject.includes(', and ') ? ['has two topics: make two commits'] : []),
    ...(looksOther || !/^\p{Lu}/u.test(first) ? [`starts with “${first}”: use the imperative, capitalized`] : []),
    ...(vague.includes(first) ? [`starts with “${first}”: use a verb that names the change`] : []),
  ]
}

/** Returns the subject of the last commit. `undefined` for a merge, and without a repository. */
export function lastSubject(root: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%p%n%s'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) return undefined
  const [parents = '', subject] = stdout.split('\n')
  return parents.includes(' ') ? undefined : subject
}
