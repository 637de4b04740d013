import { type Region, type Unreadable, unreadableKinds } from './messages.ts'

/** Smaller elements, such as tracking pixels, don’t count as missing from a screenshot. */
const smallestShown = 4
const mostProbed = 32

/**
 * Returns the kinds of content in a region that a script of the page can’t read: frames of other sites, images of other
 * sites without CORS, and videos and canvases with such images in them. Covered elements count as well.
 */
export async function unreadableIn(region: Region, timeoutMs: number): Promise<Unreadable[]> {
  const found = new Set<Unreadable>()
  const addresses = new Set<string>()
  for (const element of elementsIn(document, region)) {
    const kind = kindOfUnreadable(element)
    if (kind !== null) found.add(kind)
    for (const address of foreignImagesOf(element)) addresses.add(address)
  }
  if (!found.has('image')) {
    const answers = await Promise.all([...addresses].slice(0, mostProbed).map((one) => isReadable(one, timeoutMs)))
    if (answers.includes(false)) found.add('image')
  }
  return unreadableKinds.filter((kind) => found.has(kind))
}

function* elementsIn(root: Document | ShadowRoot, region: Region): Generator<Element> {
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot !== null) yield* elementsIn(element.shadowRoot, region)
    const box = element.getBoundingClientRect()
    const width = Math.min(box.right, region.x + region.width) - Math.max(box.left, region.x)
    const height = Math.min(box.bottom, region.y + region.height) - Math.max(box.top, region.y)
    if (width < smallestShown || height < smallestShown) continue
    if (element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) yield element
  }
}

function kindOfUnreadable(element: Element): Unreadable | null {
  if (element instanceof HTMLIFrameElement) return element.contentDocument === null ? 'frame' : null
  if (element instanceof HTMLEmbedElement) return 'frame'
  if (element instanceof HTMLObjectElement) return element.data === '' ? null : 'frame'
  if (element instanceof HTMLCanvasElement) return isTainted(element) ? 'media' : null
  if (element instanceof HTMLVideoElement) {
    const isPosterShown = element.poster !== '' && element.played.length === 0
    return isPosterShown || isTainted(element) ? 'media' : null
  }
  // An SVG is painted as an image of its own, in which nothing is loaded.
  if (element instanceof SVGImageElement) return /^(?:data:|$)/.test(element.href.baseVal) ? null : 'image'
  return null
}

/** True if the element contains data of another site, which the page can’t read. */
function isTainted(source: HTMLCanvasElement | HTMLVideoElement): boolean {
  const isEmpty = source instanceof HTMLCanvasElement ? source.width * source.height === 0 : source.videoWidth === 0
  const point = document.createElement('canvas')
  point.width = 1
  point.height = 1
  const context = point.getContext('2d')
  if (isEmpty || context === null) return false
  try {
    context.drawImage(source, 0, 0, 1, 1)
    context.getImageData(0, 0, 1, 1)
    return false
  } catch {
    return true
  }
}

const quotedAddress = /url\("((?:[^"\\]|\\.)*)"\)/g

/** Addresses of images of other sites that the element shows, including those of its background. */
function foreignImagesOf(element: Element): string[] {
  const addresses: string[] = []
  if (element instanceof HTMLImageElement && element.complete && element.naturalWidth > 0) {
    addresses.push(element.currentSrc)
  }
  for (const part of [null, '::before', '::after']) {
    const { backgroundImage, listStyleImage } = getComputedStyle(element, part)
    for (const text of [backgroundImage, listStyleImage]) {
      for (const [, address = ''] of text.matchAll(quotedAddress)) addresses.push(address)
    }
  }
  return addresses.filter((address) => /^https?:/i.test(address) && new URL(address).origin !== location.origin)
}

/** Requests the image as the painter does, with CORS. */
function isReadable(address: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const image = new Image()
    image.crossOrigin = 'anonymous'
    image.onload = () => resolve(true)
    image.onerror = () => resolve(false)
    setTimeout(() => resolve(false), timeoutMs)
    image.src = address
  })
}
