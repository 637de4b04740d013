import type { Screenshot } from '@threadbox/sdk'
import type { Region } from '../../../preview-bridge/messages.ts'
import type { PageBridge } from './page-bridge.ts'
import type { PreviewTarget } from './targets.logic.ts'

export type TakenScreenshot = { file: File; screenshot: Screenshot }

const sentErrors = 10
const errorCharacters = 1000
const urlCharacters = 2000

/**
 * Takes a screenshot of a region of the page’s viewport. The image comes from the page: only a PNG of exactly the
 * expected size is decoded, and the file is re-encoded from its pixels. Rejects when `signal` aborts, at any stage.
 */
export async function takeScreenshot(options: {
  bridge: PageBridge
  target: PreviewTarget
  region: Region
  scale: number
  signal: AbortSignal
}): Promise<TakenScreenshot> {
  const { bridge, target, region, scale, signal } = options
  const { path, lines } = bridge.page.getState()
  const { image, elements, missing, viewport } = await bridge.capture(region, { scale, signal })
  const size = { width: Math.round(region.width * scale), height: Math.round(region.height * scale) }
  const claimed = await sizeOfPng(image)
  if (claimed?.width !== size.width || claimed.height !== size.height)
    throw new Error('The image has an unexpected size.')
  const errors = lines.filter(({ level }) => level === 'error').slice(-sentErrors)
  const { width, height, scrollX, scrollY } = viewport
  const drawn = await reencode(image, size)
  signal.throwIfAborted()
  return {
    file: new File([drawn], `screenshot-${target.name === '' ? target.port : target.name}.png`, {
      type: 'image/png',
    }),
    screenshot: {
      url: `http://localhost:${target.port}${path ?? '/'}`.slice(0, urlCharacters),
      service: target.service?.name ?? null,
      viewport: { width: Math.max(1, width), height: Math.max(1, height), scale, scrollX, scrollY },
      region,
      elements,
      ...(missing.length === 0 ? {} : { missing: [...new Set(missing)] }),
      consoleErrors: errors.map(({ text }) => text.slice(0, errorCharacters)),
    },
  }
}

const signature = [137, 80, 78, 71, 13, 10, 26, 10]

/**
 * Reads the size from the header of a PNG, so that an image that decodes to gigabytes is rejected before it is decoded.
 */
async function sizeOfPng(image: Blob): Promise<{ width: number; height: number } | null> {
  const head = new DataView(await image.slice(0, 24).arrayBuffer())
  if (head.byteLength < 24 || signature.some((byte, index) => head.getUint8(index) !== byte)) return null
  return { width: head.getUint32(16), height: head.getUint32(20) }
}

async function reencode(image: Blob, size: { width: number; height: number }): Promise<Blob> {
  const bitmap = await createImageBitmap(image)
  const canvas = new OffscreenCanvas(size.width, size.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return await canvas.convertToBlob({ type: 'image/png' })
}
