import { describe, expect, it } from 'vitest'
import { phraseHits } from './phrases.ts'
import { englishRules } from './rules/english.ts'
import { germanRules } from './rules/german.ts'
import { nameRules } from './rules/names.ts'
import { renamedNames } from './rules/renamed.ts'
import type { Kind, NameOf, Text } from './text.ts'

const text = (words: string, kind: Kind = 'docs'): Text => ({ kind, path: 'docs/page.md', words, line: 1 })
const name = (words: string, names: NameOf): Text => ({ kind: 'names', path: 'apps/a.ts', words, line: 1, names })
const rulesIn = (texts: Text[]) => phraseHits(texts).map(({ rule }) => rule)

const planted: Readonly<Record<string, Text>> = {
  people: text('It is shown to nobody.'),
  'of-then': text('Files are those of then.'),
  anew: text('It is started anew.'),
  meanwhile: text('You can sign up meanwhile.'),
  'any-more': text('It does not run any more.'),
  'go-on': text('The command goes on.'),
  'give-up': text('Memory is given up.'),
  'take-off': text('Secrets are taken off the copy.'),
  'write-down': text('What ran was written down.'),
  'by-itself': text('It starts by itself.'),
  'at-once': text('It stops at once.'),
  'look-at': text('Run it and look at the last lines.'),
  'is-there': text('The file is there already.'),
  'it-is-told': text('The agent is told so.'),
  'stays-so': text('If it stays so, restart it.'),
  'as-many': text('The thread has as many as it may have.'),
  'no-noun': text('This is no text file.'),
  'log-in': text('Log in to the server.'),
  picture: text('The picture is empty.'),
  computer: text('Every thread has a computer.'),
  answer: text('Stop the answer.'),
  place: text('It stands in the place of the disk.'),
  cure: text('Checks everything, with cures.'),
  british: text('The colour of a state.'),
  'may-permission': text('Tools which may be used.'),
  sofar: text('It shows what came so far.'),
  please: text('Please try again.', 'errors'),
  'the-person': text('The person cannot open it.', 'screens'),
  'tool-contraction': text('Files that can’t be read.', 'tools'),
  'de-du': text('Was du tippst, weckt es.', 'german'),
  'de-computer': text('Der Computer schläft.', 'german'),
  'de-give-up': text('Der Speicher wurde aufgegeben.', 'german'),
  'de-log-in': text('Bitte einloggen.', 'german'),
  'de-place': text('Alle Plätze sind belegt.', 'german'),
  'name-verb': name('letTalk', 'value'),
  'name-look': name('lookEveryMs', 'value'),
  'name-adverb': name('drawnAnew', 'value'),
  'name-phrase': name('giveUp', 'value'),
  'name-question': name('isThere', 'value'),
  'name-participle': name('Told', 'type'),
  'name-metaphor': name('isFurniture', 'value'),
  'name-picture': name('still-picture.ts', 'file'),
  'name-parts': name('RunParts', 'type'),
  'file-suffix': name('history.models.ts', 'file'),
}

describe('rules', () => {
  const ids = [...englishRules, ...germanRules, ...nameRules].map(({ id }) => id)

  it('every rule has an id of its own and a planted example', () => {
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(planted)).toEqual(ids)
  })

  it.each(Object.entries(planted))('%s finds its planted example', (rule, example) => {
    expect(rulesIn([example])).toContain(rule)
  })

  it('every replaced name is found and gets the name to use', () => {
    const hits = phraseHits(Object.keys(renamedNames).map((old) => name(old, 'value')))
    const renamed = hits.filter(({ rule }) => rule === 'name-renamed')
    expect(renamed.map(({ text }) => text)).toEqual(Object.keys(renamedNames))
    expect(renamed[0]?.advice).toBe('The glossary says openLink.')
  })
})

describe('matching', () => {
  it('a hit has the words on one line, and the line on which they begin', () => {
    const [hit] = phraseHits([{ ...text('One.\nIt goes\n  on then.'), line: 10 }])
    expect(hit).toMatchObject({ rule: 'go-on', line: 11, text: 'goes on', path: 'docs/page.md' })
  })

  it('every occurrence is a hit', () => {
    expect(rulesIn([text('Anew, and anew.')])).toEqual(['anew', 'anew'])
  })

  it('a phrase that only resembles a rule is left alone', () => {
    const fine = ['Go on to the next page.', 'Your computer sleeps.', 'A login shell starts.', 'It has any more rows.']
    expect(rulesIn(fine.map((words) => text(words)))).toEqual([])
    expect(rulesIn([text('Ihr Computer bleibt an.', 'german')])).toEqual([])
  })

  it('a rule for some kinds leaves the others alone', () => {
    expect(rulesIn([text('Files that can’t be read.'), text('The person who wrote it.', 'comments')])).toEqual([])
  })

  it('German rules and English rules keep to their language', () => {
    expect(rulesIn([text('Der Computer anew.', 'german'), text('du -sh')])).toEqual(['de-computer'])
  })
})
