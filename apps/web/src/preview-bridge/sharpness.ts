import type { Region } from './messages.ts'

type GlobalWindow = Window & typeof globalThis

/**
 * Browsers paint boxes aligned to the pixels of the screen. Aligns the boxes of a copy in the same way until the
 * returned function is called. Elements of a copy belong to its window or still to the page’s, so both prototypes are
 * changed; elements of the page itself keep their values.
 */
export function snapBoxes(copy: Document, scale: number): () => void {
  const unit = pixelOf(copy, scale)
  const snap = (length: number) => Math.round(length / unit) * unit
  const restore = [window, copy.defaultView as GlobalWindow | null].map((view) => {
    if (view === null) return () => undefined
    const { prototype } = view.Element
    const original = prototype.getBoundingClientRect
    function getBoundingClientRect(this: Element) {
      const box = original.call(this)
      if (this.ownerDocument !== copy) return box
      const left = snap(box.left)
      const top = snap(box.top)
      return new DOMRect(left, top, snap(box.right) - left, snap(box.bottom) - top)
    }
    prototype.getBoundingClientRect = getBoundingClientRect
    return () => {
      if (prototype.getBoundingClientRect === getBoundingClientRect) prototype.getBoundingClientRect = original
    }
  })
  return () => {
    for (const undo of restore) undo()
  }
}

/**
 * The size of a pixel that boxes are aligned to. For an emulated device (developer tools) it isn’t that of the screen.
 */
function pixelOf(copy: Document, scale: number): number {
  const probe = copy.createElement('i')
  probe.style.setProperty('border-top', `${1 / scale}px solid`, 'important')
  copy.documentElement.append(probe)
  const width = Number.parseFloat(copy.defaultView?.getComputedStyle(probe).borderTopWidth ?? '')
  probe.remove()
  return width > 0 && width <= 1 ? width : 1
}

/**
 * The canvas that an image is painted on. The painter draws tiles of background images in CSS pixels. This canvas
 * replaces them with tiles in device pixels, so that they are as sharp as the page.
 */
export function makeSurface(region: Region, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(region.width * scale)
  canvas.height = Math.round(region.height * scale)
  const context = canvas.getContext('2d')
  if (context === null) return canvas
  const unit = pixelOf(document, scale)
  context.fillText = (text, x, y, ...width) => {
    // Browsers align lines of text to whole pixels.
    CanvasRenderingContext2D.prototype.fillText.call(context, text, x, Math.round(y / unit) * unit, ...width)
  }
  if (scale === 1) return canvas
  const sharpTiles = new WeakMap<object, HTMLCanvasElement>()
  const createElement = (name: string) => {
    const element = document.createElement(name)
    if (element instanceof HTMLCanvasElement) followTile(element, scale, (sharp) => sharpTiles.set(element, sharp))
    return element
  }
  // The painter creates the canvases of its tiles through this.
  Object.defineProperty(canvas, 'ownerDocument', { value: { createElement } })
  context.createPattern = (image, repetition) => {
    const sharp = sharpTiles.get(image)
    const pattern = CanvasRenderingContext2D.prototype.createPattern.call(context, sharp ?? image, repetition)
    if (sharp !== undefined) pattern?.setTransform(new DOMMatrix().scale(1 / scale))
    return pattern
  }
  return canvas
}

/** Makes a sharp tile beside the one that a whole image is drawn into. */
function followTile(tile: HTMLCanvasElement, scale: number, onSharp: (sharp: HTMLCanvasElement) => void): void {
  const context = tile.getContext('2d')
  if (context === null) return
  const draw = CanvasRenderingContext2D.prototype.drawImage
  context.drawImage = (...values: unknown[]) => {
    draw.apply(context, values as never)
    if (values.length !== 9) return
    const sharp = document.createElement('canvas')
    sharp.width = Math.max(1, Math.round(tile.width * scale))
    sharp.height = Math.max(1, Math.round(tile.height * scale))
    const sharpContext = sharp.getContext('2d')
    if (sharpContext === null) return
    const { imageSmoothingEnabled, imageSmoothingQuality } = context
    Object.assign(sharpContext, { imageSmoothingEnabled, imageSmoothingQuality })
    draw.apply(sharpContext, [...values.slice(0, 5), 0, 0, sharp.width, sharp.height] as never)
    onSharp(sharp)
  }
}
