import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkTranslations } from './check-site.ts'
import { fingerprint, originalIn, stateOf } from './translation-state.ts'
import { findTranslations, stamp } from './translations.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'threadbox-translations-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(pages: Record<string, string>): void {
  for (const [path, text] of Object.entries(pages)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

const english = '---\ntitle: Start\n---\n\nRun it.\n'
const german = (original: string) => `---\noriginal: '${original}'\ntitle: Start\n---\n\nStarten.\n`

describe('the age of a translation', () => {
  it('is seen by any change of its English page', () => {
    const translation = german(fingerprint(english))
    expect(stateOf(translation, english)).toBe('current')
    expect(stateOf(translation, english.replace('Run it', 'Run it twice'))).toBe('outdated')
    expect(stateOf(translation, english.replace('title: Start', 'title: Begin'))).toBe('outdated')
  })

  it('does not depend on line endings', () => {
    expect(fingerprint(english.replaceAll('\n', '\r\n'))).toBe(fingerprint(english))
  })

  it('is unknown without a fingerprint in the front matter', () => {
    expect(stateOf('---\ntitle: Start\n---\n\noriginal: abc\n', english)).toBe('unmarked')
    expect(originalIn('text without front matter')).toBeUndefined()
  })
})

describe('translations of a directory', () => {
  it('are found by language, with their English pages', () => {
    write({
      'start.md': english,
      'operate/install.md': english,
      'de/start.md': german(fingerprint(english)),
      'it/operate/install.md': german('000000000000'),
      'ja/gone.md': german('000000000000'),
    })
    expect(findTranslations(directory).map(({ path, state }) => `${path} ${state}`)).toEqual([
      'de/start.md current',
      'it/operate/install.md outdated',
      'ja/gone.md orphaned',
    ])
  })

  it('are stamped with the English page of today', () => {
    write({ 'start.md': english, 'de/start.md': german('000000000000'), 'it/start.md': '---\ntitle: Inizia\n---\n' })
    stamp('de/start.md', directory)
    stamp('it/start.md', directory)
    expect(findTranslations(directory).map(({ state }) => state)).toEqual(['current', 'current'])
    expect(readFileSync(join(directory, 'de/start.md'), 'utf8')).toBe(german(fingerprint(english)))
  })

  it('stop a build when they are unmarked or orphaned, and not when they are outdated', () => {
    write({
      'start.md': english,
      'de/start.md': '---\ntitle: x\n---\n',
      'it/none.md': english,
      'ja/start.md': german('0'),
    })
    expect(checkTranslations(findTranslations(directory)).map((problem) => problem.split(':')[0])).toEqual([
      'de/start.md',
      'it/none.md',
    ])
  })
})
