import { followConsole } from './console.ts'
import { elementsUnder, regionAt } from './elements.ts'
import { type AppMessage, type BridgeMessage, bridgeLimits } from './messages.ts'
import type { Painter, PainterScript } from './painter-script.ts'

const script = document.currentScript
const appOrigin = script?.getAttribute('data-app') ?? ''
const painterAddress = script?.getAttribute('data-painter') ?? ''
// So that a page that compares its document with what its server sent finds no difference.
script?.remove()
keepDrawings()
// Only a page that the app itself frames gets a bridge: not frames inside the page, tabs, or pages framed by other
// sites.
if (appOrigin !== '' && parent !== window && parent === top) start()

/** WebGL discards a drawing once it is shown. Keeps it, so that a screenshot includes it. */
function keepDrawings(): void {
  const original = HTMLCanvasElement.prototype.getContext
  function getContext(this: HTMLCanvasElement, kind: string, options?: object) {
    const isDrawing = /^(?:experimental-)?webgl2?$/.test(kind)
    return original.call(this, kind, isDrawing ? { ...options, preserveDrawingBuffer: true } : options)
  }
  HTMLCanvasElement.prototype.getContext = getContext as typeof original
}

function start(): void {
  const app = parent
  const say = (message: BridgeMessage) => {
    try {
      app.postMessage(message, appOrigin)
    } catch {
      // Another site frames the page, not the app.
    }
  }
  let sent = ''
  const sendPage = (isNew = false) => {
    const path = `${location.pathname}${location.search}${location.hash}`.slice(0, bridgeLimits.path)
    const title = document.title.slice(0, bridgeLimits.title)
    const isLocked = forbidsPainting()
    const known = `${path}\n${title}\n${isLocked}`
    if (!isNew && sent === known) return
    sent = known
    say({ threadbox: 'page', path, title, isNew, isLocked })
  }
  sendPage(true)
  followPage(() => sendPage())
  followConsole((lines, dropped) => say({ threadbox: 'console', lines, dropped }))
  addEventListener('message', (event) => {
    if (event.source !== app || event.origin !== appOrigin) return
    const message = event.data as AppMessage
    if (message.threadbox === 'hello') {
      sent = ''
      sendPage()
    } else if (message.threadbox === 'pick') {
      say({ threadbox: 'picked', id: message.id, region: regionAt(message.x, message.y) })
    } else if (message.threadbox === 'capture') {
      const { id } = message
      capture(message).then(say, (error: unknown) => {
        say({ threadbox: 'failed', id, message: String(error).slice(0, bridgeLimits.message) })
      })
    }
  })
}

/** True if the page’s policy prevents scripts from adding scripts: the painter can’t be loaded then. */
function forbidsPainting(): boolean {
  try {
    document.createElement('script').src = painterAddress
    return false
  } catch {
    return true
  }
}

/** Calls `onChange` whenever address or title may have changed. */
function followPage(onChange: () => void): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = (...values: Parameters<typeof original>) => {
      original.apply(history, values)
      onChange()
    }
  }
  for (const name of ['popstate', 'hashchange', 'DOMContentLoaded', 'load', 'pageshow'])
    addEventListener(name, onChange)
  addEventListener('DOMContentLoaded', () => {
    const title = document.querySelector('title')
    const options = { childList: true, characterData: true, subtree: true }
    if (title !== null) new MutationObserver(onChange).observe(title, options)
  })
}

async function capture(order: Extract<AppMessage, { threadbox: 'capture' }>): Promise<BridgeMessage> {
  const { id, region, scale } = order
  // Before the screenshot: it takes a moment, in which the page can change.
  const elements = elementsUnder(region)
  const viewport = { width: innerWidth, height: innerHeight, scrollX, scrollY, devicePixelRatio }
  const painter = await loadPainter()
  const { image, missing } = await painter(region, scale)
  return { threadbox: 'captured', id, image, elements, missing, viewport }
}

let painter: Promise<Painter> | undefined

/** Loads the painter when it is first needed. A failure is retried at the next call. */
function loadPainter(): Promise<Painter> {
  painter ??= new Promise<Painter>((resolve, reject) => {
    const element: PainterScript = document.createElement('script')
    element.onload = () => {
      element.remove()
      if (element.threadboxPainter === undefined) reject(new Error('The painter did not start.'))
      else resolve(element.threadboxPainter)
    }
    element.onerror = () => {
      element.remove()
      reject(new Error('The painter could not be loaded.'))
    }
    element.src = painterAddress
    document.documentElement.append(element)
  }).catch((error: unknown) => {
    painter = undefined
    throw error
  })
  return painter
}
