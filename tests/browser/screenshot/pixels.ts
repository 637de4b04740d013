import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'

export type Comparison = {
  /** Percentage of the crop that is not background. */
  filled: number
  /** Percentage of that which differs by more than 8 of 255 where the two fit best. */
  differing: number
  /** How far the other image has to be moved to fit best, in screen pixels. */
  offset: [x: number, y: number]
  size: { truth: [number, number]; other: [number, number] }
}

/**
 * Compares an image with the browser’s own, pixel by pixel; both are addresses that the page can load. The other one
 * can be `white`: a white image of the same size.
 */
export async function compareImages(page: Page, images: { truth: string; other: string }): Promise<Comparison> {
  const source = await readFile(path.join(import.meta.dirname, 'compare.js'), 'utf8')
  const work = source.slice(source.indexOf('async '))
  return await page.evaluate<Comparison>(`(${work})(${JSON.stringify(images)})`)
}
