import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { contentDirectory } from '../../tools/translations.ts'
import { lifecycleDiagram } from '../markdown/lifecycle-diagram.ts'
import { sidebar } from '../sidebar.ts'
import { type Language, words } from './words.ts'

const languages = Object.keys(words) as Language[]
const appTexts = (language: Language) => join(import.meta.dirname, `../../../apps/web/src/i18n/${language}/sandbox.ts`)

describe.each(languages)('words in %s', (language) => {
  it.runIf(existsSync(appTexts(language)))('name the states as the app does', async () => {
    const { sandbox } = (await import(pathToFileURL(appTexts(language)).href)) as {
      sandbox: { state: Record<string, string> }
    }
    expect(sandbox.state).toMatchObject(words[language].lifecycle.states)
  })

  it('are all in the diagram', () => {
    const diagram = lifecycleDiagram(words[language].lifecycle)
    const { states, arrows, title } = words[language].lifecycle
    for (const text of [...Object.values(states), ...Object.values(arrows), title])
      expect(diagram).toContain(`>${text}<`)
  })
})

it('every page is in the menu, in every language', () => {
  const inMenu = sidebar.flatMap(({ items }) => items.map(({ slug }) => `${slug}.md`))
  const pages = globSync('**/*.md', { cwd: contentDirectory }).filter((path) => !/^(de|it|ja)\//.test(path))
  expect(inMenu.sort()).toEqual(pages.filter((path) => path !== 'index.md').sort())
  for (const { translations } of sidebar.flatMap(({ items }) => items)) {
    expect(Object.keys(translations).sort()).toEqual(['de', 'it', 'ja'])
  }
})
