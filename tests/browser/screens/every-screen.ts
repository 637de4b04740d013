import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { translatedLanguages } from '../../../apps/web/src/i18n/translations.ts'
import { findUntranslated, readShown, showLanguage } from './languages.ts'
import { makeReferenceImages, type ReferenceImages } from './reference-images.ts'
import { deskWidth, phoneWidth, type ScreenStage, startScreenStage, themes } from './screen-stage.ts'
import { openScreen, type Screen, showTheme } from './screens.ts'
import { type FindViolations, makeFindViolations } from './violations.ts'

export type ScreenTools = { stage: ScreenStage; images: ReferenceImages; findViolations: FindViolations }

/** Starts the stage of the screens for the tests of a file. */
export function startScreenTools(): () => ScreenTools {
  let parts: ScreenTools | undefined
  beforeAll(async () => {
    const stage = await startScreenStage()
    parts = {
      stage,
      images: await makeReferenceImages(await stage.canvas()),
      findViolations: await makeFindViolations(),
    }
  })
  afterAll(() => parts?.stage[Symbol.asyncDispose]())
  return () => {
    if (parts === undefined) throw new Error('The stage of the screens has not started')
    return parts
  }
}

/** Desktop screens, in both themes: they are accessible, and match their reference screenshots. */
export function testAtDesk(screens: readonly Screen[], parts: () => ScreenTools): void {
  test.each(screens)('$name is accessible, and matches its reference screenshots in each language', async (screen) => {
    await using page = await openScreen(parts().stage, screen, { width: deskWidth })
    await checkInThemes(page, `${screen.name}-${deskWidth}`, parts())
    await checkInLanguages(page, `${screen.name}-${deskWidth}`, parts())
  })
}

/** The same on a phone, where nothing can be wider than the screen or too small to press. */
export function testOnPhone(screens: readonly Screen[], parts: () => ScreenTools): void {
  test.each(screens)(
    '$name is never wider than a phone, has targets of at least 24 px, is accessible, and matches its reference screenshots in each language',
    async (screen) => {
      await using page = await openScreen(parts().stage, screen, { width: phoneWidth })
      expect.soft(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phoneWidth)
      expect.soft(await findTooSmall(page)).toEqual([])
      await checkInThemes(page, `${screen.name}-${phoneWidth}`, parts())
      await checkInLanguages(page, `${screen.name}-${phoneWidth}`, parts())
    },
  )
}

async function checkInThemes(page: Page, name: string, { images, findViolations }: ScreenTools): Promise<void> {
  for (const theme of themes) {
    await showTheme(page, theme)
    expect.soft(await findViolations(page, { onlyColors: theme !== themes[0] }), theme).toEqual([])
    const { isSame, words } = await images.check(`${name}-${theme}`, await images.take(page))
    expect.soft(isSame, words).toBe(true)
  }
}

/** In the other languages nothing is left in English, cut off or overlapping; the light theme stands for both. */
async function checkInLanguages(page: Page, name: string, { images }: ScreenTools): Promise<void> {
  const width = page.viewportSize()?.width ?? 0
  await showTheme(page, themes[0])
  const english = await readShown(page)
  for (const language of translatedLanguages) {
    await showLanguage(page, language)
    expect.soft(await findUntranslated({ english, shown: await readShown(page) }, language), language).toEqual([])
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect.soft(scrollWidth, language).toBeLessThanOrEqual(width)
    const { isSame, words } = await images.check(`${name}-${language}`, await images.take(page))
    expect.soft(isSame, words).toBe(true)
  }
}

/** Elements of a page that can be pressed and are smaller than 24 px. */
async function findTooSmall(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`[...document.querySelectorAll('button, [role=tab], [role=menuitem], select')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert]') === null)
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && (box.width < 24 || box.height < 24))
    .map(({ element, box }) => element.outerHTML.slice(0, 120) + ' ' + Math.round(box.width) + ' × ' + Math.round(box.height))`)
}
