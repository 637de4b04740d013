import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'

export type Comparison = {
  /** How much of the crop is not background, in per cent. */
  filled: number
  /** Of that, how much differs by more than 8 of 255 where the two fit best, in per cent. */
  differing: number
  /** How far the other picture has to be moved to fit best, in pixels of the screen. */
  offset: [x: number, y: number]
  size: { truth: [number, number]; other: [number, number] }
}

/**
 * Compares a picture with the browser's own, pixel by pixel; both are addresses that the page may load. The other one may
 * be `white`: a picture of the same size with nothing on it.
 */
export async function comparePictures(page: Page, pictures: { truth: string; other: string }): Promise<Comparison> {
  const source = await readFile(path.join(import.meta.dirname, 'compare.js'), 'utf8')
  const work = source.slice(source.indexOf('async '))
  return await page.evaluate<Comparison>(`(${work})(${JSON.stringify(pictures)})`)
}
