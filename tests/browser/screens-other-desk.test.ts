import { describe, expect, test } from 'vitest'
import { translatedLanguages } from '../../apps/web/src/i18n/translations.ts'
import { startScreenTools, testAtDesk } from './screens/every-screen.ts'
import { findUntranslated, readShown, showLanguage } from './screens/languages.ts'
import { deskWidth } from './screens/screen-stage.ts'
import { openScreen, otherScreens, type Screen, screens } from './screens/screens.ts'

const parts = startScreenTools()
describe(`screens outside of threads at ${deskWidth} px`, () => testAtDesk(otherScreens, parts))

describe('the test of the screens', () => {
  const find = (name: string) => screens.find((screen) => screen.name === name) as Screen

  test('finds a button without a name and faint text, and faint text when it checks only colors', async () => {
    const { stage, findViolations } = parts()
    await using page = await openScreen(stage, find('login'), { width: deskWidth })
    const wrong = '<button></button><p style="color: #ddd">faint</p>'
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(wrong)})`)
    const rules = (found: string[]) => found.map((violation) => violation.split(':')[0]).sort()
    expect(rules(await findViolations(page))).toEqual(['button-name', 'color-contrast'])
    expect(rules(await findViolations(page, { onlyColors: true }))).toEqual(['color-contrast'])
  })

  test('finds a text that stayed English, one that is cut off, and texts that overlap', async () => {
    const { stage } = parts()
    await using page = await openScreen(stage, find('settings-about'), { width: deskWidth })
    const english = await readShown(page)
    for (const language of translatedLanguages) {
      await showLanguage(page, language)
      const before = await readShown(page)
      expect(await findUntranslated({ english, shown: before }, language)).toEqual([])
      const wrong = `<div id="wrong"><p>Which of the files were kept</p>
        <p style="width: 20px; overflow: hidden; white-space: nowrap">${language} 0123456789</p>
        <div style="position: relative"><p>0001</p><p style="margin-top: -20px">0002</p></div></div>`
      await page.evaluate(`document.querySelector('main').insertAdjacentHTML('afterbegin', ${JSON.stringify(wrong)})`)
      expect(await findUntranslated({ english, shown: await readShown(page) }, language)).toEqual([
        'English: Which of the files were kept',
        `cut off: ${language} 0123456789`,
        'overlapping: 0001 / 0002',
      ])
      await page.evaluate(`document.querySelector('#wrong').remove()`)
    }
  })

  test('detects an element that is missing, moved, larger or in another color, and no difference where there is none', async () => {
    const { stage, images } = parts()
    await using page = await openScreen(stage, find('thread'), { width: deskWidth })
    const before = await images.take(page)
    const withStyle = async (css: string) => {
      await page.addStyleTag({ content: css })
      const { isSame } = await images.compare(before, await images.take(page))
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
