import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePictures, type Pictures } from './picture.ts'
import { type ScreenStage, startScreenStage, themes } from './screen-stage.ts'
import { openScreen, screens, showTheme } from './screens.ts'
import { type FindViolations, makeFindViolations } from './violations.ts'

export type ScreenParts = { stage: ScreenStage; pictures: Pictures; findViolations: FindViolations }

/** Starts the stage of the screens for the tests of a file. */
export function startScreenParts(): () => ScreenParts {
  let parts: ScreenParts | undefined
  beforeAll(async () => {
    const stage = await startScreenStage()
    parts = { stage, pictures: makePictures(await stage.canvas()), findViolations: await makeFindViolations() }
  })
  afterAll(() => parts?.stage[Symbol.asyncDispose]())
  return () => {
    if (parts === undefined) throw new Error('The stage of the screens has not started')
    return parts
  }
}

/** Every screen at a width, in both themes: nothing keeps somebody out, and it looks as it should. */
export function testEveryScreen(width: number, parts: () => ScreenParts): void {
  test.each(screens)('$name is open to everybody, and looks as in its reference pictures', async (screen) => {
    const { stage, pictures, findViolations } = parts()
    await using page = await openScreen(stage, screen, { width })
    for (const theme of themes) {
      await showTheme(page, theme)
      expect.soft(await findViolations(page, { onlyColours: theme !== themes[0] }), theme).toEqual([])
      const { isSame, words } = await pictures.check(`${screen.name}-${width}-${theme}`, await pictures.take(page))
      expect.soft(isSame, words).toBe(true)
    }
  })
}
