import type { PageLook, PageReport } from '@threadbox/protocol/guest'
import { type Browser, type Environment, findBrowser, startBrowser } from './browser.ts'
import { type DevTools, MessageTooLarge } from './devtools.ts'
import { cut, makePageEvents, type PageEvents } from './page-events.ts'
import { captureImage, type PageSession, pageText, settle } from './page-session.ts'
import { Deadline, PageProblem } from './time.ts'

/** Starting a browser takes a second or two in a sandbox, and many times that on a busy machine. */
const startTimeoutMs = 90_000
/** Text, size and image of a page whose scripts let the browser work take well under a second. */
const captureTimeoutMs = 30_000
/** The sandbox's own programs take some; a single process above this share is a page that only grows. */
const memoryShare = 0.4
const maxProcessBytes = 1536 * 1024 * 1024
const memoryCheckMs = 100

/** Opens a page in its own browser and reports what it shows. The browser has ended when this resolves. */
export async function checkPage(
  order: PageLook,
  options: { memoryBytes: number; environment: Environment; onBrowser(browser: Browser): void },
): Promise<PageReport> {
  const program = findBrowser(options.environment.PATH ?? '')
  if (program === undefined) return { ...emptyReport(order), problem: 'no-browser' }
  const browser = startBrowser(program, { ...order, environment: options.environment })
  options.onBrowser(browser)
  const watch = watchMemory(browser, Math.min(maxProcessBytes, options.memoryBytes * memoryShare))
  const report = emptyReport(order)
  try {
    return await withReport(browser, { order, report })
  } catch (error) {
    return { ...report, ...problemOf(error, browser) }
  } finally {
    clearInterval(watch)
    browser.close()
  }
}

/** Fills in the report step by step, so that it also has what was seen before a problem. */
async function withReport(browser: Browser, { order, report }: { order: PageLook; report: PageReport }) {
  const { devTools } = browser
  const session = await new Deadline(startTimeoutMs, 'browser-failed').within(openPage(devTools, order))
  const events = makePageEvents(session.frameId)
  listen(devTools, { events, session, report })
  await enable(session)
  try {
    await show(session, { order, report, events })
  } finally {
    Object.assign(report, events.facts())
  }
  return report
}

async function show(
  session: PageSession,
  options: { order: PageLook; report: PageReport; events: PageEvents },
): Promise<void> {
  const { order, report } = options
  const loading = new Deadline(order.loadTimeoutMs, 'no-answer')
  const navigated = await loading.within(
    session.send<{ errorText?: string; isDownload?: boolean }>('Page.navigate', { url: order.url }),
  )
  if (navigated.errorText !== undefined) {
    const detail = navigated.isDownload === true ? 'It’s a download, not a page.' : navigated.errorText
    throw new PageProblem('unreachable', detail)
  }
  const { isLoaded, waitForFound } = await settle(session, { order, deadline: loading })
  Object.assign(report, { isLoaded, waitForFound })
  const capturing = new Deadline(captureTimeoutMs, 'not-responding')
  Object.assign(report, await capturing.within(pageText(session)))
  Object.assign(report, await capturing.within(captureImage(session, order)))
}

async function openPage(devTools: DevTools, order: PageLook): Promise<PageSession> {
  const { targetInfos } = await devTools.send<{ targetInfos: { targetId: string; type: string }[] }>(
    'Target.getTargets',
  )
  const first = targetInfos.find(({ type }) => type === 'page')?.targetId
  const targetId =
    first ?? (await devTools.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })).targetId
  const { sessionId } = await devTools.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  const send = <Result>(method: string, params?: Record<string, unknown>) =>
    devTools.send<Result>(method, params, sessionId)
  const { frameTree } = await send<{ frameTree: { frame: { id: string; loaderId: string } } }>('Page.getFrameTree')
  const size = { width: order.width, height: order.height, deviceScaleFactor: 1, mobile: false }
  await send('Emulation.setDeviceMetricsOverride', size)
  await devTools.send('Browser.setDownloadBehavior', { behavior: 'deny' })
  // Windows that get around the flag that refuses them stop before they run anything, and are closed.
  await devTools.send('Target.setDiscoverTargets', { discover: true })
  const { id: frameId, loaderId: blankLoaderId } = frameTree.frame
  return { send, sessionId, targetId, frameId, blankLoaderId, lifecycle: new Set(), onLifecycle: [] }
}

async function enable(session: PageSession): Promise<void> {
  for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'Inspector']) await session.send(`${domain}.enable`)
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true })
}

function listen(devTools: DevTools, options: { events: PageEvents; session: PageSession; report: PageReport }): void {
  const { events, session, report } = options
  let isListening = true
  const quietly = (sent: Promise<unknown>) => void sent.catch(() => undefined)
  devTools.onEvent((event) => {
    const { method, params } = event
    if (method === 'Target.targetCreated') {
      const target = params.targetInfo as { targetId: string; type: string }
      if (target.type !== 'page' || target.targetId === session.targetId) return
      report.windowsRefused += 1
      quietly(devTools.send('Target.closeTarget', { targetId: target.targetId }))
    }
    if (event.sessionId !== session.sessionId) return
    events.take(event)
    if (method === 'Inspector.targetCrashed') {
      devTools.end(
        new PageProblem('crashed', 'The page crashed its browser process, usually by using too much memory.'),
      )
    }
    if (method === 'Page.javascriptDialogOpening')
      quietly(session.send('Page.handleJavaScriptDialog', { accept: false }))
    if (method === 'Page.windowOpen') report.windowsRefused += 1
    if (method === 'Page.frameNavigated') {
      const frame = params.frame as { id: string; url: string }
      if (frame.id === session.frameId) report.url = cut(frame.url, 2000)
    }
    const isOfPage = params.frameId === session.frameId && params.loaderId !== session.blankLoaderId
    if (method === 'Page.lifecycleEvent' && isOfPage) {
      // A page that navigates to another one starts over.
      if (params.name === 'init') session.lifecycle.clear()
      session.lifecycle.add(String(params.name))
      for (const listener of session.onLifecycle) listener()
    }
    if (isListening && events.isFlooded()) {
      isListening = false
      quietly(session.send('Runtime.disable'))
      quietly(session.send('Log.disable'))
    }
  })
}

function watchMemory(browser: Browser, limitBytes: number): NodeJS.Timeout {
  return setInterval(() => {
    const largest = Math.max(0, ...browser.processes().map(({ residentBytes }) => residentBytes))
    if (largest <= limitBytes) return
    const sizes = `${mebibytes(largest)} MiB, the limit is ${mebibytes(limitBytes)} MiB`
    browser.devTools.end(new PageProblem('too-much-memory', `One process of the browser had ${sizes}.`))
    browser.close()
  }, memoryCheckMs)
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}

function problemOf(error: unknown, browser: Browser): Pick<PageReport, 'problem' | 'detail'> {
  if (error instanceof PageProblem) return { problem: error.problem, detail: cut(error.message, 2000) }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof MessageTooLarge) return { problem: 'flooded', detail: message }
  return { problem: 'browser-failed', detail: cut(`${message} ${browser.printed()}`.trim(), 2000) }
}

function emptyReport(order: PageLook): PageReport {
  return {
    problem: null,
    detail: '',
    url: cut(order.url, 2000),
    httpStatus: null,
    title: '',
    isLoaded: false,
    waitForFound: null,
    pageWidth: 0,
    pageHeight: 0,
    picture: null,
    text: '',
    textCharacters: 0,
    console: [],
    consoleLeftOut: 0,
    failedRequests: [],
    failedRequestsLeftOut: 0,
    windowsRefused: 0,
    dialogs: [],
  }
}
