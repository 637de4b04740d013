import type { Page } from 'playwright-core'
import { answered, messageField, openPage, startBrowser } from '../../browser/app-in-browser.ts'
import type { Figure } from '../figure.ts'
import { startBarePage } from '../floors/bare-page.ts'
import type { Stage } from '../stage.ts'

const rounds = 25
/** The first rounds fill caches of browser and server, as a minute of use does. */
const warmUpRounds = 3
/** A line painted below the edge of the window is not reported: before a thread fills it, the next thread is used. */
const roundsOfThread = 5

/**
 * From Enter in the composer, as the browser got the key, to the frame that shows the first line that the command
 * printed, in an awake thread in Chromium. The floor is a bare page in the same browser and network, measured
 * alternately: Enter, the same command by a call to the guest of such a sandbox, its first line in an event stream, one
 * text painted. The difference is all that the product adds: records, the turn, the thread’s stream, the app.
 */
export async function enterToPaint(stage: Stage): Promise<Figure[]> {
  const figure: Figure = {
    id: 'enter-to-paint',
    title: 'Enter in the composer to the first line of output painted in the browser',
    unit: 'ms',
    samples: [],
    floorSamples: [],
    floorTitle: 'a bare page with the same command as a call to the guest',
    target: null,
  }
  await using cleanup = new AsyncDisposableStack()
  const first = await stage.newAwakeThread()
  const bare = cleanup.use(await startBarePage({ host: stage.host, sandboxId: first.sandboxId }))
  const { browser } = cleanup.use(await startBrowser(stage.server, bare))
  const app = await openPage(browser, { server: stage.server, pathname: `/threads/${first.thread.id}` })
  const floor = await browser.newPage()
  await floor.goto(bare.url)
  for (let round = 0; round < rounds; round++) {
    if (round % roundsOfThread === 0 && round > 0) {
      const { thread } = await stage.newAwakeThread()
      await app.goto(`${stage.server.origin}/threads/${thread.id}`)
    }
    await floor.bringToFront()
    await floor.locator('textarea').fill(commandOf(round * 2))
    const floorMs = await untilPainted(floor, round * 2)
    await bare.ended()
    await app.bringToFront()
    await messageField(app).fill(`/run ${commandOf(round * 2 + 1)}`)
    const appMs = await untilPainted(app, round * 2 + 1)
    await answered(app)
    if (round < warmUpRounds) continue
    figure.floorSamples.push(floorMs)
    figure.samples.push(appMs)
  }
  return [figure]
}

/** Its output is not in its own text, and it runs for a moment, like commands that people wait for. */
function commandOf(round: number): string {
  return `printf 'line %s\\n' ${round}; sleep 2`
}

/** Presses Enter. The browser itself reports when the frame with the line was shown. */
async function untilPainted(page: Page, round: number): Promise<number> {
  await page.evaluate(`(() => {
    window.painted = new Promise((resolve) => {
      let enterAt
      addEventListener('keydown', (event) => { enterAt ??= event.timeStamp }, { capture: true, once: true })
      new PerformanceObserver((list, observer) => {
        const entry = list.getEntries().find(({ identifier }) => identifier === 'line ${round}')
        if (entry === undefined) return
        observer.disconnect()
        resolve(entry.renderTime - enterAt)
      }).observe({ type: 'element' })
      new MutationObserver((_, observer) => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        while (texts.nextNode()) {
          if (texts.currentNode.data.trim() !== 'line ${round}') continue
          texts.currentNode.parentElement.setAttribute('elementtiming', 'line ${round}')
          observer.disconnect()
          return
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    })
  })()`)
  await page.keyboard.press('Enter')
  return await page.evaluate<number>(
    `Promise.race([window.painted, new Promise((_, reject) => setTimeout(() => reject(new Error('nothing was painted')), 20000))])`,
  )
}
