import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'

/** Directory of the reference screenshots. */
const referenceDirectory = path.join(import.meta.dirname, '../reference')

/**
 * Images are compared by the mean color of squares, not by pixels: this hides letters that another browser version
 * draws slightly differently, and compression loss, but not anything missing, moved or in another color.
 */
const squarePixels = 8
/**
 * A square differs if its mean brightness differs by more than this, of 255, or a channel of its mean color by more
 * than that: compression keeps color at half the resolution, which washes out the color of thin lines.
 */
const maxDifference = { brightness: 10, color: 40 }
/** How many squares per thousand can differ. */
const maxPerMille = 2

export type Comparison = { isSame: boolean; words: string }

/** Takes screenshots and compares them; needs a browser page to draw in. */
export type ReferenceImages = {
  /** The visible part of a page, with everything that changes from run to run painted over. */
  take(page: Page): Promise<Buffer>
  /**
   * Compares with the reference of this name. With THREADBOX_WRITE_PICTURES the image becomes the reference instead.
   */
  check(name: string, image: Buffer): Promise<Comparison>
  compare(one: Buffer, other: Buffer): Promise<Comparison>
}

type Compared = { sizes: string[]; differing: number; total: number }
type Compare = (options: {
  images: string[]
  squarePixels: number
  maxDifference: typeof maxDifference
}) => Promise<Compared>

export async function makeReferenceImages(canvas: Page): Promise<ReferenceImages> {
  // Created once: the browser optimizes a function that is called again.
  const comparing = await canvas.evaluateHandle<Compare>(`(${compareInPage})`)
  const compare = async (one: Buffer, other: Buffer) => {
    const images = [one, other].map((image) => image.toString('base64'))
    const options = { images, squarePixels, maxDifference }
    const { sizes, differing, total } = await comparing.evaluate((call, given) => call(given), options)
    const isSame = sizes[0] === sizes[1] && differing * 1000 <= total * maxPerMille
    return { isSame, words: `${differing} of ${total} squares differ; ${sizes.join(' and ')} pixels` }
  }
  return {
    compare,
    take: async (page) => {
      await page.evaluate(fixPorts)
      // The tab in front or the heading has the focus, depending on which came first: the key or the list of tabs.
      await page.evaluate(`document.activeElement?.matches('[role=tab]') && document.activeElement.blur()`)
      const mask = [page.locator('.frame iframe'), page.locator('.addr .host')]
      return await page.screenshot({ animations: 'disabled', caret: 'hide', mask, maskColor: '#8b8b84' })
    },
    check: async (name, image) => {
      const file = path.join(referenceDirectory, `${name}.webp`)
      if (process.env.THREADBOX_WRITE_PICTURES !== undefined) {
        await mkdir(referenceDirectory, { recursive: true })
        await writeFile(file, await compressed(canvas, image))
      }
      const reference = await readFile(file).catch(() => undefined)
      if (reference === undefined) return { isSame: false, words: `there is no reference image ${name}.webp` }
      const result = await compare(reference, image)
      if (result.isSame) return result
      const shown = path.join(process.env.THREADBOX_PICTURES ?? tmpdir(), `${name}.png`)
      await writeFile(shown, image)
      return { ...result, words: `${name}: ${result.words}; as it looks now: ${shown}` }
    },
  }
}

async function compressed(canvas: Page, image: Buffer): Promise<Buffer> {
  const text = JSON.stringify(image.toString('base64'))
  return Buffer.from((await canvas.evaluate(`(${compressInPage})(${text})`)) as string, 'base64')
}

/** Runs in the browser: the servers’ ports change with every run. */
const fixPorts = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue.replaceAll(location.port, '7717')
})()`

/** Runs in the browser. */
const compressInPage = `async (image) => {
  const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + image)).blob())
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d').drawImage(bitmap, 0, 0)
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })).arrayBuffer())
  let text = ''
  for (let index = 0; index < bytes.length; index += 8192) text += String.fromCharCode(...bytes.subarray(index, index + 8192))
  return btoa(text)
}`

/** Runs in the browser. */
const compareInPage = `async ({ images, squarePixels, maxDifference }) => {
  const [one, other] = await Promise.all(images.map(async (image) => {
    const bitmap = await createImageBitmap(await (await fetch('data:;base64,' + image)).blob())
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    return context.getImageData(0, 0, bitmap.width, bitmap.height)
  }))
  const sizes = [one, other].map(({ width, height }) => width + ' × ' + height)
  const columns = Math.ceil(one.width / squarePixels)
  const total = columns * Math.ceil(one.height / squarePixels)
  if (sizes[0] !== sizes[1]) return { sizes, differing: total, total }
  const sums = new Float64Array(total * 3)
  const counts = new Float64Array(total)
  const [ones, others] = [one.data, other.data]
  for (let y = 0, at = 0; y < one.height; y += 1) {
    const row = Math.floor(y / squarePixels) * columns
    for (let x = 0; x < one.width; x += 1, at += 4) {
      const square = row + Math.floor(x / squarePixels)
      counts[square] += 1
      sums[square * 3] += ones[at] - others[at]
      sums[square * 3 + 1] += ones[at + 1] - others[at + 1]
      sums[square * 3 + 2] += ones[at + 2] - others[at + 2]
    }
  }
  let differing = 0
  for (let square = 0; square < total; square += 1) {
    const [red, green, blue] = [0, 1, 2].map((channel) => sums[square * 3 + channel] / counts[square])
    const isOther = Math.abs(0.299 * red + 0.587 * green + 0.114 * blue) > maxDifference.brightness
    if (isOther || [red, green, blue].some((channel) => Math.abs(channel) > maxDifference.color)) differing += 1
  }
  return { sizes, differing, total }
}`
