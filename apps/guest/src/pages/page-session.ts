import type { PageLook, PageReport } from '@threadbox/protocol/guest'
import { cut } from './page-events.ts'
import { type Deadline, race } from './time.ts'

/** The one page of the browser. */
export type PageSession = {
  send<Result = Record<string, unknown>>(method: string, params?: Record<string, unknown>): Promise<Result>
  sessionId: string
  targetId: string
  frameId: string
  /** The browser's initial empty page, whose events must not count as those of the page. */
  blankLoaderId: string
  /** Names of lifecycle events that the document has reached: `load`, `networkIdle` and so on. */
  lifecycle: Set<string>
  onLifecycle: (() => void)[]
}

/** After this, a page is no longer waited for: some never become quiet (animations, polling, open streams). */
const quietNetworkMs = 3000
const quietDocumentMs = 4000
/** How long a document must not change: one that shows something, and one that is still empty. */
const quietForMs = 500
const emptyForMs = 3000
/** Height of a long page that one image shows: beyond it, a model could not read the text. */
const maxFullHeight = 2400
/** What models with vision accept without scaling down. */
const maxEdgePixels = 1568
/** A larger PNG is captured again as JPEG: photographs and canvases. */
const maxPngBytes = 1_200_000
const maxTextCharacters = 100_000
/** How often a page can navigate away under one of our scripts. */
const maxAttempts = 10

/** Waits until the page looks finished, or until the deadline. Never throws for a page that does not finish. */
export async function settle(
  session: PageSession,
  options: { order: PageLook; deadline: Deadline },
): Promise<Pick<PageReport, 'isLoaded' | 'waitForFound'>> {
  const { order, deadline } = options
  const isLoaded = await race(reached(session, 'load'), { ms: deadline.leftMs(), onTimeout: () => false })
  if (order.waitFor !== null) {
    const waitForFound = await race(visible(session, { selector: order.waitFor, ms: deadline.leftMs() }), {
      ms: deadline.leftMs() + 1000,
      onTimeout: () => false,
    })
    await quietDocument(session, quietDocumentMs)
    return { isLoaded, waitForFound }
  }
  const idleMs = Math.min(quietNetworkMs, deadline.leftMs())
  await race(reached(session, 'networkIdle'), { ms: idleMs, onTimeout: () => false })
  await quietDocument(session, Math.min(quietDocumentMs, deadline.leftMs()))
  return { isLoaded, waitForFound: null }
}

async function reached(session: PageSession, name: string): Promise<boolean> {
  if (session.lifecycle.has(name)) return true
  return await new Promise((resolve) => {
    session.onLifecycle.push(() => {
      if (session.lifecycle.has(name)) resolve(true)
    })
  })
}

/** Resolves when fonts are loaded and the document has not changed for a moment, after `ms` at the latest. */
async function quietDocument(session: PageSession, ms: number): Promise<void> {
  const script = `new Promise((resolve) => {
    const begunAt = performance.now()
    let changedAt = begunAt
    const observer = new MutationObserver(() => { changedAt = performance.now() })
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    const shows = () => document.body?.innerText.trim() !== '' || document.querySelector('img, svg, canvas, video') !== null
    const look = () => {
      const now = performance.now()
      const isQuiet = now - changedAt >= ${quietForMs} && (now - changedAt >= ${emptyForMs} || shows())
      if (!isQuiet && now - begunAt < ${Math.round(ms)}) return setTimeout(look, 50)
      observer.disconnect()
      resolve(true)
    }
    look()
  }).then(() => Promise.race([document.fonts.ready, new Promise((late) => setTimeout(late, 1000))])).then(() => true)`
  await race(evaluate(session, script), { ms: ms + 2000, onTimeout: () => false }).catch(() => false)
}

async function visible(session: PageSession, options: { selector: string; ms: number }): Promise<boolean> {
  const script = `new Promise((resolve) => {
    const selector = ${JSON.stringify(options.selector)}
    const until = performance.now() + ${Math.round(options.ms)}
    const look = () => {
      const found = [...document.querySelectorAll(selector)].some((element) => element.getClientRects().length > 0)
      if (found || performance.now() > until) resolve(found)
      else setTimeout(look, 50)
    }
    look()
  })`
  return (await evaluate(session, script)) === true
}

/** Title and visible text of the page and of its frames of the same origin. */
export async function pageText(session: PageSession): Promise<Pick<PageReport, 'title' | 'text' | 'textCharacters'>> {
  const script = `(() => {
    const texts = []
    const read = (document, depth) => {
      texts.push(document.body?.innerText ?? '')
      if (depth < 3) for (const frame of document.querySelectorAll('iframe, frame')) {
        try { if (frame.contentDocument) read(frame.contentDocument, depth + 1) } catch {}
      }
    }
    read(document, 0)
    const text = texts.filter((piece) => piece !== '').join('\\n')
    return { title: document.title, text: text.slice(0, ${maxTextCharacters}), characters: text.length }
  })()`
  // A page that reloads itself endlessly has no usable text, but still an image.
  const found = (await evaluate(session, script).catch(() => undefined)) as
    | { title?: unknown; text?: unknown; characters?: unknown }
    | undefined
  const text = typeof found?.text === 'string' ? found.text : ''
  return {
    title: cut(typeof found?.title === 'string' ? found.title : '', 500),
    text: cut(text, maxTextCharacters),
    textCharacters: typeof found?.characters === 'number' ? found.characters : text.length,
  }
}

type Metrics = {
  cssContentSize: { width: number; height: number }
  cssVisualViewport: { pageY: number }
}

/** Returns an image small enough for a model, and the page's size. */
export async function captureImage(
  session: PageSession,
  order: PageLook,
): Promise<Pick<PageReport, 'pageWidth' | 'pageHeight' | 'picture'>> {
  if (order.scrollY > 0) {
    await evaluate(session, `scrollTo({ top: ${order.scrollY}, behavior: 'instant' })`).catch(() => undefined)
    await quietDocument(session, quietDocumentMs)
  }
  const metrics = await session.send<Metrics>('Page.getLayoutMetrics')
  const pageWidth = Math.round(metrics.cssContentSize.width)
  const pageHeight = Math.round(metrics.cssContentSize.height)
  const top = Math.round(metrics.cssVisualViewport.pageY)
  const height = order.isFullPage ? Math.max(order.height, Math.min(pageHeight - top, maxFullHeight)) : order.height
  const scale = Math.min(1, maxEdgePixels / Math.max(order.width, height))
  const clip = { x: 0, y: top, width: order.width, height, scale }
  const area = order.isFullPage ? { clip, captureBeyondViewport: true } : {}
  const shoot = async (format: 'png' | 'jpeg') => {
    const quality = format === 'jpeg' ? { quality: 80 } : {}
    const { data } = await session.send<{ data: string }>('Page.captureScreenshot', { format, ...quality, ...area })
    return { mediaType: `image/${format}` as const, base64: data }
  }
  const png = await shoot('png')
  const shot = png.base64.length * 0.75 <= maxPngBytes ? png : await shoot('jpeg')
  return { pageWidth, pageHeight, picture: { ...shot, top, height, scale } }
}

/**
 * Evaluates in an isolated world, where the page cannot have replaced what the script uses. A navigation destroys that
 * world, so the evaluation is repeated.
 */
async function evaluate(session: PageSession, expression: string): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { frameId } = session
      const world = { frameId, worldName: 'look' }
      const { executionContextId } = await session.send<{ executionContextId: number }>(
        'Page.createIsolatedWorld',
        world,
      )
      const answer = await session.send<{ result: { value?: unknown }; exceptionDetails?: unknown }>(
        'Runtime.evaluate',
        {
          expression,
          contextId: executionContextId,
          awaitPromise: true,
          returnByValue: true,
        },
      )
      return answer.exceptionDetails === undefined ? answer.result.value : undefined
    } catch (error) {
      const isGone = error instanceof Error && /context|frame|navigat|promise was collected/i.test(error.message)
      if (!isGone || attempt === maxAttempts) throw error
    }
  }
}
