import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { designTokens } from './screens/design-tokens.ts'
import { type ScreenStage, startScreenStage, themes } from './screens/screen-stage.ts'
import { openScreen, type Screen, screens, showTheme } from './screens/screens.ts'

/** The measurable part of the design: tokens, text styles, regions and their order. */
let stage: ScreenStage
beforeAll(async () => {
  stage = await startScreenStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const open = (name: string, width = 1440) =>
  openScreen(stage, screens.find((screen) => screen.name === name) as Screen, { width })

/** Computed styles of the first element that matches. */
const styleOf = (page: Page, selector: string, names: readonly string[]): Promise<string[]> =>
  page.evaluate(
    `(() => { const style = getComputedStyle(document.querySelector(${JSON.stringify(selector)})); return ${JSON.stringify(names)}.map((name) => style.getPropertyValue(name)) })()`,
  )
/** A value as the browser serializes it, for comparison with a computed style. */
const computed = (page: Page, property: string, value: string): Promise<string> =>
  page.evaluate(
    `(() => { const probe = document.createElement('i'); probe.style.setProperty(${JSON.stringify(property)}, ${JSON.stringify(value)}); document.body.append(probe); const found = getComputedStyle(probe).getPropertyValue(${JSON.stringify(property)}); probe.remove(); return found })()`,
  )
type Box = { x: number; y: number; width: number; height: number }
async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox()
  if (box === null) throw new Error(`${locator} is not visible`)
  return box
}
const near = (found: number, wanted: number) => expect(Math.abs(found - wanted), `${found}`).toBeLessThanOrEqual(1)

/** The build shortens values; the browser computes the same up to rounding. */
const numbers = /-?\d*\.?\d+/g
function isSameValue(one: string, other: string): boolean {
  const [ones, others] = [one.match(numbers) ?? [], other.match(numbers) ?? []]
  if (one.replaceAll(numbers, '') !== other.replaceAll(numbers, '')) return false
  return ones.every((value, index) => Math.abs(Number(value) - Number(others[index])) < 0.005)
}
/** A property that takes values like this one. */
function propertyFor(value: string): string {
  if (/^(#|rgba?\([^)]*\)$)/.test(value)) return 'color'
  if (/^\d+px\/\d+px$/.test(value)) return 'font'
  if (/^cubic-bezier/.test(value)) return 'transition-timing-function'
  return /\d(px)? .*rgba\(/.test(value) || value.endsWith('transparent') ? 'box-shadow' : 'width'
}

describe.each(themes)('tokens, %s', (theme) => {
  test('are those of the design', async () => {
    await using page = await open('thread')
    await showTheme(page, theme)
    const wanted = Object.entries({ ...designTokens.both, ...designTokens[theme] })
    expect(wanted.length).toBeGreaterThan(60)
    const wrong: string[] = []
    for (const [name, value] of wanted) {
      // Screens are shown with reduced motion, which sets these to none.
      if (/^--m\d$/.test(name)) continue
      const property = propertyFor(value)
      const font = property === 'font' ? ' sans-serif' : ''
      const [found, expected] = [
        await computed(page, property, `var(${name})${font}`),
        await computed(page, property, `${value}${font}`),
      ]
      expect(expected, `${name}: ${value} as ${property}`).not.toBe('')
      if (!isSameValue(found, expected)) wrong.push(`${name}: ${found} and not ${value}`)
    }
    expect(wrong).toEqual([])
  })

  test('are the colors of the parts of a thread', async () => {
    await using page = await open('preview')
    await showTheme(page, theme)
    const painted: [selector: string, property: string, token: string][] = [
      ['body', 'background-color', 'canvas'],
      ['body', 'color', 'text'],
      ['.main', 'background-color', 'bg'],
      ['.main', 'border-top-color', 'line'],
      ['.card', 'background-color', 'surface'],
      ['.card', 'border-top-color', 'line'],
      ['.me .bubble', 'background-color', 'selected'],
      ['.composer', 'background-color', 'surface'],
      ['.topbar .chip', 'background-color', 'st-active-soft'],
      ['.topbar .chip', 'color', 'st-active'],
      ['.pane', 'background-color', 'bg'],
      ['.th .run', 'color', 'text-3'],
    ]
    for (const [selector, property, token] of painted) {
      const [found] = await styleOf(page, selector, [property])
      expect(found, `${selector} ${property}`).toBe(
        await computed(page, property, designTokens[theme][`--${token}`] ?? ''),
      )
    }
    const [radius] = await styleOf(page, '.topbar .chip', ['border-top-left-radius'])
    // Round is for states only.
    expect(Number.parseInt(radius ?? '', 10)).toBeGreaterThan(100)
    expect(await styleOf(page, '.card', ['border-top-left-radius'])).toEqual(['8px'])
    expect(await styleOf(page, '.composer', ['border-top-left-radius'])).toEqual(['12px'])
  })
})

describe('text', () => {
  const styles = async (page: Page, selector: string) => {
    const [family = '', ...rest] = await styleOf(page, selector, [
      'font-family',
      'font-size',
      'line-height',
      'font-weight',
    ])
    return [/^"?([\w ]+)/.exec(family)?.[1], ...rest]
  }

  test('has the sizes, lines and weights of the design', async () => {
    await using page = await open('thread')
    expect(await styles(page, 'body')).toEqual(['Inter var', '13px', '20px', '400'])
    for (const selector of ['.say', '.me .bubble', '.composer textarea']) {
      expect(await styles(page, selector), selector).toEqual(['Inter var', '15px', '24px', '400'])
    }
    expect(await styles(page, '.topbar .chip')).toEqual(['Inter var', '12px', '16px', '500'])
    expect(await styles(page, '.topbar .title')).toEqual(['Inter var', '14px', '20px', '600'])
    expect(await styles(page, '.th .run')).toEqual(['JetBrains Mono var', '11px', '16px', '400'])
    expect(
      await page.evaluate(
        `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family.replaceAll('"', '')).sort()`,
      ),
    ).toEqual(expect.arrayContaining(['Inter var', 'JetBrains Mono var']))
  })

  test('of a model is rendered faithfully: a block of code keeps its lines, code in a line stays in it', async () => {
    await using page = await open('thread')
    const code = page.getByRole('log').getByRole('region', { name: 'Code' }).last()
    expect(await code.innerText()).toContain('def peak(hour: int) -> float:\n    # The morning is steeper.\n    return')
    await page.getByRole('log').locator('.say p code').getByText('trips.csv').waitFor()
  })
})

describe('regions', () => {
  test('at 1440 px: sidebar, conversation and pane side by side, in this order for the keyboard too', async () => {
    await using page = await open('preview')
    const [sidebar, topbar, main, pane, composer] = await Promise.all([
      boxOf(page.locator('.sidebar')),
      boxOf(page.locator('.topbar')),
      boxOf(page.locator('.chat')),
      boxOf(page.locator('.pane')),
      boxOf(page.locator('.composer')),
    ])
    near(sidebar.x, 0)
    near(sidebar.width, 264)
    near(topbar.height, 52)
    near(pane.width, 664)
    near(pane.x + pane.width, 1440 - 9)
    expect(main.x).toBeGreaterThanOrEqual(sidebar.x + sidebar.width - 1)
    near(main.x + main.width, pane.x)
    expect(topbar.y).toBeLessThan(main.y)
    expect(composer.y + composer.height).toBeLessThanOrEqual(900)
    expect(composer.x + composer.width).toBeLessThanOrEqual(pane.x)
    const order = await page.evaluate(
      `[...document.querySelectorAll('[data-region]')].map((region) => region.dataset.region)`,
    )
    expect(order).toEqual(['sidebar', 'chat', 'composer', 'pane'])
    const inPane = await Promise.all(
      ['.pane-h', '.addr-row', '.frame', '.drawer'].map(
        async (selector) => (await boxOf(page.locator(`.pane ${selector}`))).y,
      ),
    )
    expect(inPane).toEqual(inPane.toSorted((one, other) => one - other))
  })

  test('the conversation has its column, its line on the left, and its rows in their order', async () => {
    await using page = await open('thread')
    const stream = await boxOf(page.locator('.stream'))
    near(stream.width, 816)
    const card = await boxOf(page.locator('.card').last())
    expect(card.width).toBeLessThanOrEqual(760)
    const nodes = await page
      .locator('.stream .node')
      .evaluateAll((all) =>
        all.map((node) => Math.round((node as unknown as { getBoundingClientRect(): Box }).getBoundingClientRect().x)),
      )
    expect(Math.max(...nodes) - Math.min(...nodes)).toBeLessThanOrEqual(12)
    const bubble = await boxOf(page.locator('.me .bubble').first())
    expect(bubble.x + bubble.width).toBeGreaterThan(stream.x + stream.width - 48)
    const text = await page.getByRole('log').innerText()
    const places = [
      'Started from disk',
      'Plot the trips',
      'I look at the file',
      'python trips.py',
      'Edited',
      'Python',
      'dashboard',
      'Weekdays have',
    ].map((words) => text.indexOf(words))
    expect(
      places.every((place) => place >= 0),
      `${places}`,
    ).toBe(true)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  })

  test('at 390 px: one column, a header of two rows, the pane as a sheet over everything', async () => {
    await using page = await open('thread', 390)
    expect(await page.locator('.sidebar').isVisible()).toBe(false)
    const [title, chip] = await Promise.all([
      boxOf(page.locator('.topbar .title')),
      boxOf(page.locator('.topbar .chip')),
    ])
    expect(chip.y).toBeGreaterThan(title.y + title.height)
    await page.keyboard.press('Alt+1')
    const pane = page.locator('.pane')
    await pane.waitFor()
    const box = await boxOf(pane)
    expect([box.x, box.width]).toEqual([0, 390])
    near(box.y, 12)
    expect(await page.locator('.chat').evaluate((element) => element.closest('[inert]') !== null)).toBe(true)
  })
})
