import { expect, it } from 'vitest'
import { phraseHits } from '../phrases.ts'
import { textsOf } from './read-texts.ts'

/** Kind, line and words of each text except names. */
function found(path: string, source: string) {
  return textsOf(path, () => source)
    .filter(({ kind }) => kind !== 'names')
    .map(({ kind, line, words }) => `${kind} ${line}: ${words.replaceAll(/\s+/g, ' ').trim()}`)
}

/** Kind and line of each hit. */
function hits(path: string, source: string) {
  return phraseHits(textsOf(path, () => source)).map(({ kind, line, text }) => `${kind} ${line}: ${text}`)
}

const server = 'apps/server/src'

it('texts of the app are screens, and German ones are German', () => {
  expect(found('apps/web/src/i18n/en/a.ts', "export const a = { lead: 'Go' }")).toEqual(['screens 1: Go'])
  expect(found('apps/web/src/i18n/de/a.ts', "export const a = { lead: 'Los' }")).toEqual(['german 1: Los'])
  expect(found('deploy/setup-page/page.js', "const texts = { de: { title: 'Wird eingerichtet' } }")).toEqual([
    'german 1: Wird eingerichtet',
  ])
  expect(found(`${server}/page-words.ts`, "const german: Words = { title: 'Privat' }")).toEqual(['german 1: Privat'])
  expect(found(`${server}/page-words.ts`, "const italian: Words = { title: 'Questa è privata' }")).toEqual([])
  expect(found(`${server}/page-words.ts`, "const japanese: Words = { title: 'Web ページ は private' }")).toEqual([])
})

it('the message and the remedy of an error are errors, its code is not', () => {
  const source = `export const gone = defineError({
  code: 'thread.gone',
  message: ({ name }) => \`It is \${name}.\`,
  remedy: () => 'Retry.',
})`
  expect(found(`${server}/a.errors.ts`, source)).toEqual(['errors 3: It is \uFFFC.', 'errors 4: Retry.'])
})

it('settings, routes, texts for the model and other sentences have kinds of their own', () => {
  expect(found('packages/config/src/a.ts', "const a = { doc: 'Port.' }")).toEqual(['settings 1: Port.'])
  expect(found(`${server}/a.routes.ts`, "const a = { summary: 'List all threads' }")).toEqual([
    'routes 1: List all threads',
  ])
  expect(found(`${server}/turns/tools/a.tool.ts`, "const a = 'Reads a file.'")).toEqual(['tools 1: Reads a file.'])
  expect(found('apps/host/src/a.ts', "const a = 'it ended early'")).toEqual(['messages 1: it ended early'])
})

it('strings that name something to the program are no texts', () => {
  const source = "import a from 'one two three'\nconst b: 'four five six' = sql`select a from b where c`"
  expect(found('apps/host/src/a.ts', source)).toEqual([])
  expect(found('apps/web/src/a.tsx', 'const a = <p className="one two three" />')).toEqual([])
})

it('of a test the title is a text, also that of a table; other strings are not', () => {
  const source =
    "it.each([1])('stops at once: %s', () => {\n  expect(a).toBe('stops at once')\n})\ndescribe('runs', run)"
  expect(found('apps/host/src/a.test.ts', source)).toEqual(['tests 1: stops at once: %s', 'tests 4: runs'])
})

it('a comment continues over its lines, and code in it is no text', () => {
  const source = "/**\n * It goes\n * on with `nobody`.\n */\n// by\n// itself\nconst a = 'x' // anew"
  expect(hits('apps/host/src/a.ts', source)).toEqual([
    'comments 2: goes on',
    'comments 5: by itself',
    'comments 7: anew',
  ])
})

it('a sentence continues from one literal to the next, not across what is put in', () => {
  expect(hits('apps/host/src/a.ts', "const a = 'what ran goes ' +\n  'on then'")).toEqual(['messages 1: goes on'])
  const template = 'const a = `what ran goes $' + '{b} on then`'
  expect(hits('apps/host/src/a.ts', template)).toEqual([])
  expect(hits('apps/host/src/a.ts', "const a = 'that doesn\\'t go on'")).toEqual(['messages 1: go on'])
})

it('of a page the prose is a text: no code, addresses or markup', () => {
  const source = '# Anew\n\n```sh\necho anew\n```\n\n`anew` [here](docs/anew.md) <!-- anew --> anew\n'
  expect(hits('docs/a.md', source)).toEqual(['docs 1: Anew', 'docs 7: anew'])
})

it('of a script what it says and its comments are texts, also inside a command', () => {
  const source = `#!/bin/bash
# Starts it anew.
say "It goes on with $name."
say "$(printf 'It stops at once.')"
awk 'NR > 1 { at once }' # nobody
cat <<'TEXT'
up   starts by itself
TEXT
`
  expect(hits('deploy/launcher/a.sh', source)).toEqual([
    'comments 2: anew',
    'launcher 3: goes on',
    'launcher 4: at once',
    'comments 5: nobody',
    'launcher 7: by itself',
  ])
})

it('comments of Python, CSS and protocol files are texts', () => {
  expect(hits('images/a.py', '"""Starts anew."""\n# at once\nx = "nobody"')).toEqual([
    'comments 1: anew',
    'comments 2: at once',
  ])
  expect(hits('apps/web/src/a.css', 'a { } /* anew */')).toEqual(['comments 1: anew'])
  expect(hits('packages/protocol/proto/a.proto', '// at\n// once\nmessage A {}')).toEqual(['comments 1: at once'])
})

it('declared names and file names are checked, keys of objects and names passed on are not', () => {
  const source = `function letTalk(giveUp: () => void) {}
type Told = { isThere: boolean; takeBack(): void }
const { startAnew, x: goOn } = { letGo: 1, startAnew: 2, x: 3 }`
  expect(new Set(hits('apps/host/src/still-picture.ts', source))).toEqual(
    new Set([
      'names 1: still-picture.ts',
      'names 1: letTalk',
      'names 1: giveUp',
      'names 2: Told',
      'names 2: takeBack',
      'names 3: goOn',
    ]),
  )
})
