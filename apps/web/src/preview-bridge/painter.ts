import html2canvas from 'html2canvas-pro'
import type { Painter, PainterScript } from './painter-script.ts'
import { makeSurface, snapBoxes } from './sharpness.ts'
import { unreadableIn } from './unreadable.ts'

const imageTimeoutMs = 8000
const loadTimeoutMs = 5000

const paint: Painter = async (region, scale) => {
  // Without the scroll bar, which the painted copy doesn’t have.
  const { clientWidth, clientHeight } = document.documentElement
  const canvas = makeSurface(region, scale)
  let restore: () => void = () => undefined
  const options = {
    canvas,
    x: region.x + scrollX,
    y: region.y + scrollY,
    width: region.width,
    height: region.height,
    scale,
    windowWidth: clientWidth,
    windowHeight: clientHeight,
    scrollX,
    scrollY,
    useCORS: true,
    logging: false,
    imageTimeout: imageTimeoutMs,
    onclone: async (copy: Document) => {
      await settled(copy)
      restore = snapBoxes(copy, scale)
    },
  }
  const reading = unreadableIn(region, imageTimeoutMs)
  await html2canvas(document.documentElement, options).finally(() => restore())
  const image = await new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The image is empty.')) : resolve(blob)), 'image/png')
  })
  return { image, missing: await reading }
}

/** Waits for what the copy loads again before it looks like the page: its style sheets, and the fonts in them. */
async function settled(copy: Document): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, loadTimeoutMs))
  const sheets = [...copy.querySelectorAll<HTMLLinkElement>('link[rel~=stylesheet i]')]
  const loads = sheets
    .filter(({ sheet, disabled }) => sheet === null && !disabled)
    .map(
      (link) =>
        new Promise<void>((resolve) => {
          link.addEventListener('load', () => resolve())
          link.addEventListener('error', () => resolve())
        }),
    )
  await Promise.race([Promise.all(loads), late])
  // Fonts are loaded once text is laid out with them.
  copy.documentElement.getBoundingClientRect()
  await Promise.race([copy.fonts.ready, late])
}

if (document.currentScript !== null) (document.currentScript as PainterScript).threadboxPainter = paint
