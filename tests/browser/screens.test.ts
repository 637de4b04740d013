import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePictures, type Pictures } from './screens/picture.ts'
import { type ScreenStage, startScreenStage, themes, widths } from './screens/screen-stage.ts'
import { openScreen, type Screen, screens, showTheme } from './screens/screens.ts'

/** Every screen on a desk and on a phone, in both themes: nothing keeps somebody out, and it looks as it should. */
let stage: ScreenStage
let pictures: Pictures
let axe: string
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  stage = await startScreenStage()
  pictures = makePictures(await stage.canvas())
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Less bad, and kept all the same. */
const kept: readonly string[] = ['page-has-heading-one', 'heading-order', 'skip-link']

/** Rules broken badly, and those that are kept, each with where. The page of a service is its author's. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`typeof axe === 'undefined' ? (() => {\n${axe}\n})() : undefined`)
  const results = (await page.evaluate(
    `axe.run({ exclude: ['.frame iframe'] }, { iframes: false, resultTypes: ['violations'] })`,
  )) as AxeResults
  return results.violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || kept.includes(id))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`))
}

describe.each(widths)('at %i px', (width) => {
  test.each(screens)('$name is open to everybody, and looks as in its reference pictures', async (screen) => {
    await using page = await openScreen(stage, screen, { width })
    for (const theme of themes) {
      await showTheme(page, theme)
      expect.soft(await violations(page), theme).toEqual([])
      const { isSame, words } = await pictures.check(`${screen.name}-${width}-${theme}`, await pictures.take(page))
      expect.soft(isSame, words).toBe(true)
    }
  })
})

describe('this test', () => {
  const find = (name: string) => screens.find((screen) => screen.name === name) as Screen

  test('finds a button without a name and faint text', async () => {
    await using page = await openScreen(stage, find('login'), { width: 1440 })
    const wrong = '<button></button><p style="color: #ddd">faint</p>'
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(wrong)})`)
    const found = await violations(page)
    expect(found.map((violation) => violation.split(':')[0]).sort()).toEqual(['button-name', 'color-contrast'])
  })

  test('sees that something is missing, moved, larger or of another colour, and no difference where there is none', async () => {
    await using page = await openScreen(stage, find('thread'), { width: 1440 })
    const before = await pictures.take(page)
    const withStyle = async (css: string) => {
      await page.addStyleTag({ content: css })
      const { isSame } = await pictures.compare(before, await pictures.take(page))
      await page.evaluate('document.head.lastElementChild.remove()')
      return isSame
    }
    expect(await withStyle('/* nothing */')).toBe(true)
    for (const css of [
      '.sidebar { padding-left: 12px }',
      '.say { font-size: 16px }',
      ':root { --canvas: #ffb3b3 !important }',
      '.composer { visibility: hidden }',
    ]) {
      expect(await withStyle(css), css).toBe(false)
    }
  })
})
