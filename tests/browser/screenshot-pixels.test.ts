import { repeats } from '@threadbox/testkit/repeats'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareImages } from './screenshot/pixels.ts'
import {
  badges,
  camera,
  drag,
  frame,
  pane,
  region,
  type ScreenshotStage,
  show,
  startScreenshotStage,
} from './screenshot/screenshot-stage.ts'

/** Screenshots compared with the browser’s own of the same region. */
let screenshots: ScreenshotStage
beforeAll(async () => {
  screenshots = await startScreenshotStage()
})
afterAll(() => screenshots?.[Symbol.asyncDispose]())

// The last page leaves the frame as wide as a phone.
const last = '/width'
const others = ['/plain', '/scrolled', '/images', '/font', '/canvas', '/webgl', '/strict', '/meta-strict']
const dense = repeats({ what: 'pages whose pixels are compared at device scale 2', byDefault: 3, full: 9 })
const pages: Record<1 | 2, string[]> = { 1: [...others, last], 2: [...others.slice(0, dense - 1), last] }

describe.each([1, 2] as const)('O9: pixels are true at device scale %i', (deviceScale) => {
  let opened: (Page & AsyncDisposable) | undefined
  afterAll(() => opened?.[Symbol.asyncDispose]())

  test.each(pages[deviceScale])('%s', async (at) => {
    // One page for all of them.
    opened ??= await screenshots.open('/', { deviceScale })
    const page = opened
    await show(page, at)
    if (at === last) {
      await pane(page).getByRole('button', { name: 'Phone, 390 px' }).click()
      await expect.poll(() => frame(page).locator('html').evaluate('innerWidth')).toBe(390)
    }
    await camera(page).click()
    const box = await page.locator('.shade').boundingBox()
    const left = at === last ? ((box?.width ?? 0) - 390) / 2 + 20 : 20
    await drag(page, [left, 20], [left + 340, 320])
    const clip = await region(page).boundingBox()
    await page.keyboard.press('Enter')
    const badge = badges(page).locator('img')
    await badge.waitFor()
    const other = (await badge.getAttribute('src')) ?? ''
    const own = await page.screenshot({ clip: clip ?? { x: 0, y: 0, width: 1, height: 1 } })
    const truth = `data:image/png;base64,${own.toString('base64')}`
    const compared = await compareImages(page, { truth, other })
    expect(compared.size.other).toEqual(compared.size.truth)
    expect(compared.filled).toBeGreaterThanOrEqual(40)
    expect(compared.differing, JSON.stringify(compared)).toBeLessThanOrEqual(2)
    // In CSS pixels: those of a region are whole, also in a frame that is drawn smaller than its page.
    expect(Math.max(...compared.offset.map(Math.abs)) / deviceScale).toBeLessThanOrEqual(1)
    // The comparison detects missing content.
    expect((await compareImages(page, { truth, other: 'white' })).differing).toBeGreaterThan(90)
    await badges(page).getByRole('button', { name: 'Remove screenshot' }).click()
    await badge.waitFor({ state: 'detached' })
  })
})
