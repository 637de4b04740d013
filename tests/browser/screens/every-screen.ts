import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePictures, type Pictures } from './picture.ts'
import { deskWidth, phoneWidth, type ScreenStage, startScreenStage, themes } from './screen-stage.ts'
import { openScreen, type Screen, showTheme } from './screens.ts'
import { type FindViolations, makeFindViolations } from './violations.ts'

export type ScreenParts = { stage: ScreenStage; pictures: Pictures; findViolations: FindViolations }

/** Starts the stage of the screens for the tests of a file. */
export function startScreenParts(): () => ScreenParts {
  let parts: ScreenParts | undefined
  beforeAll(async () => {
    const stage = await startScreenStage()
    parts = { stage, pictures: await makePictures(await stage.canvas()), findViolations: await makeFindViolations() }
  })
  afterAll(() => parts?.stage[Symbol.asyncDispose]())
  return () => {
    if (parts === undefined) throw new Error('The stage of the screens has not started')
    return parts
  }
}

/** Screens of a desk, in both themes: nothing keeps somebody out, and they look as they should. */
export function testAtDesk(screens: readonly Screen[], parts: () => ScreenParts): void {
  test.each(screens)('$name is open to everybody, and looks as in its reference pictures', async (screen) => {
    await using page = await openScreen(parts().stage, screen, { width: deskWidth })
    await checkInThemes(page, `${screen.name}-${deskWidth}`, parts())
  })
}

/** The same of a phone, where nothing may be wider than it or too small to press. */
export function testOnPhone(screens: readonly Screen[], parts: () => ScreenParts): void {
  test.each(screens)(
    '$name is never wider than a phone, has 24 px at least to press, is open to everybody, and looks as in its reference pictures',
    async (screen) => {
      await using page = await openScreen(parts().stage, screen, { width: phoneWidth })
      expect.soft(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phoneWidth)
      expect.soft(await findTooSmall(page)).toEqual([])
      await checkInThemes(page, `${screen.name}-${phoneWidth}`, parts())
    },
  )
}

async function checkInThemes(page: Page, name: string, { pictures, findViolations }: ScreenParts): Promise<void> {
  for (const theme of themes) {
    await showTheme(page, theme)
    expect.soft(await findViolations(page, { onlyColours: theme !== themes[0] }), theme).toEqual([])
    const { isSame, words } = await pictures.check(`${name}-${theme}`, await pictures.take(page))
    expect.soft(isSame, words).toBe(true)
  }
}

/** What is pressed on a page and is smaller than 24 px. */
async function findTooSmall(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`[...document.querySelectorAll('button, [role=tab], [role=menuitem], select')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert]') === null)
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && (box.width < 24 || box.height < 24))
    .map(({ element, box }) => element.outerHTML.slice(0, 120) + ' ' + Math.round(box.width) + ' × ' + Math.round(box.height))`)
}
