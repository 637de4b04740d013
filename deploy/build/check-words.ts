import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastSubject, subjectProblems } from './words/commit-subject.ts'
import { type Counts, compareCounts, countHits, countsText, grownRules } from './words/counts.ts'
import { applyExceptions, parseExceptions } from './words/exceptions.ts'
import { phraseHits } from './words/phrases.ts'
import { loadDictionaries, spellingHits } from './words/spelling.ts'
import { type Hit, kinds } from './words/text.ts'
import { readTexts } from './words/texts/read-texts.ts'

/**
 * Checks the words of the repository against words/rules and the dictionaries. Known hits are counted in words/counts.json:
 * the check fails when a count grows, and when it fell and the file says otherwise. `--accept` lowers the counts. `--list`
 * prints hits; further arguments select them by rule, kind or start of the path. `--root` checks another work tree.
 */
const options = process.argv.slice(2)
const folder = join(import.meta.dirname, 'words')
const countsPath = join(folder, 'counts.json')
const root = options.find((option) => option.startsWith('--root='))?.slice('--root='.length) ?? join(folder, '../../..')

const { remaining, unused } = applyExceptions(await findHits(), parseExceptions(read('exceptions.txt')))
const known = existsSync(countsPath) ? (JSON.parse(read('counts.json')) as Counts) : {}

if (options.includes('--list')) list()
else if (options.includes('--accept')) accept()
else check()

async function findHits(): Promise<Hit[]> {
  const texts = readTexts(root)
  const dictionaries = await loadDictionaries({
    english: wordsIn('dictionary.txt'),
    german: wordsIn('dictionary-de.txt'),
  })
  return [...phraseHits(texts), ...spellingHits(texts, dictionaries)]
}

function list(): void {
  const selectors = options.filter((option) => !option.startsWith('--'))
  const shown = remaining.filter(({ rule, kind, path }) =>
    selectors.every((selector) => rule === selector || kind === selector || path.startsWith(selector)),
  )
  print(shown)
  printKinds(shown)
}

function accept(): void {
  const grown = existsSync(countsPath) ? grownRules(known, remaining) : []
  if (grown.length === 0) {
    writeFileSync(countsPath, countsText(countHits(remaining)))
    return
  }
  print(compareCounts(known, remaining).more.filter(({ rule }) => grown.includes(rule)))
  fail([`New hits of ${grown.join(', ')}: reword them, or add correct ones to words/exceptions.txt.`])
}

function check(): void {
  const { more, fewer } = compareCounts(known, remaining)
  print(more)
  const subject = lastSubject(root)
  fail([
    ...(more.length > 0
      ? ['These files have new hits: reword them. If texts were only moved, run `npm run words:accept`.']
      : []),
    ...(fewer.length > 0 ? [...fewer, 'Run `npm run words:accept` to lower the counts.'] : []),
    ...unused.map(({ line }) => `deploy/build/words/exceptions.txt:${line} matches nothing: remove it.`),
    ...(subject === undefined ? [] : subjectProblems(subject)).map((problem) => `Commit “${subject}” ${problem}.`),
  ])
  printKinds(remaining)
}

function fail(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

function print(hits: readonly Hit[]): void {
  for (const { path, line, text, advice } of hits) console.log(`${path}:${line}: ${text}: ${advice}`)
}

function printKinds(hits: readonly Hit[]): void {
  const counts = kinds.map((kind) => `${kind} ${hits.filter((hit) => hit.kind === kind).length}`)
  console.log(`${hits.length} hits: ${counts.join(', ')}`)
}

function wordsIn(name: string): string[] {
  return read(name).split('\n').filter(Boolean)
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}
