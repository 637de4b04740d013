import { type Region, type Unreadable, unreadableKinds } from './messages.ts'

/** Smaller ones are not missed in a picture: points by which visitors are counted. */
const smallestShown = 4
const mostProbed = 32

/**
 * What of a region a script of the page may not read: frames of others, pictures of other sites that do not allow it,
 * videos and drawings with such pictures in them. Seen where it stands, also if something lies over it.
 */
export async function unreadableIn(region: Region, timeoutMs: number): Promise<Unreadable[]> {
  const found = new Set<Unreadable>()
  const addresses = new Set<string>()
  for (const element of elementsIn(document, region)) {
    const kind = kindOfUnreadable(element)
    if (kind !== null) found.add(kind)
    for (const address of foreignPicturesOf(element)) addresses.add(address)
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
  // A drawing is painted as a picture of its own, in which nothing is loaded.
  if (element instanceof SVGImageElement) return /^(?:data:|$)/.test(element.href.baseVal) ? null : 'image'
  return null
}

/** Whether something of another site is in it, which the page must not read. */
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

/** Addresses of pictures of other sites that the element shows: its own, and those of its background. */
function foreignPicturesOf(element: Element): string[] {
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

/** Asks for the picture as the painter does: with the other site's leave to read it. */
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
