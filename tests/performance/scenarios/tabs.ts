import type { BrowserContext, Page } from 'playwright-core'
import { openPage, startBrowser } from '../../browser/app-in-browser.ts'
import type { TestThread } from '../../stack/installation.ts'
import { emptyFigure, type Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'

const maxRounds = 10
/** The first rounds fill caches of browser and server, as a minute of use does. */
const warmUpRounds = 2
const tabCount = 12

/**
 * From opening a tab on a thread until it has shown the existing entries and then a message that another program sent
 * to the thread: this means that the tab is live. The figure is the last of twelve tabs, each on its own thread and all
 * of them live; its floor is the first of the twelve, which has the browser to itself. No sandbox takes part.
 */
export async function tabs(stage: Stage): Promise<Figure[]> {
  const figure = emptyFigure({
    id: 'tabs',
    title: 'Opening a 12th tab on a 12th thread until it is live, beside 11 live ones',
    floorTitle: 'opening the first of them',
    target: { maxRatio: 1.3 },
  })
  const rounds = Math.min(stage.rounds, maxRounds)
  await using cleanup = new AsyncDisposableStack()
  const { browser } = cleanup.use(await startBrowser(stage.server))
  const threads: TestThread[] = []
  for (let count = 0; count < tabCount; count += 1) threads.push(await stage.newThread())
  for (const thread of threads) await thread.say('before')
  const profile = (await openPage(browser, { server: stage.server, pathname: '/' })).context()
  for (let round = 0; round < rounds + warmUpRounds; round += 1) {
    const took: number[] = []
    for (const thread of threads) {
      took.push(await untilLive(profile, { address: `${stage.server.origin}/threads/${thread.id}`, thread, round }))
    }
    await Promise.all(profile.pages().map((page) => page.close()))
    if (round < warmUpRounds) continue
    figure.floorSamples.push(took[0] ?? Number.NaN)
    figure.samples.push(took.at(-1) ?? Number.NaN)
  }
  await Promise.all(threads.map(({ id }) => stage.client.threads.delete(id)))
  return [figure]
}

async function untilLive(
  profile: BrowserContext,
  options: { address: string; thread: TestThread; round: number },
): Promise<number> {
  const { address, thread, round } = options
  const start = performance.now()
  const page = await profile.newPage()
  await page.goto(address, { waitUntil: 'commit' })
  await shown(page, 'before')
  const answered = thread.say(`round ${round}`)
  await shown(page, `round ${round}`)
  const took = performance.now() - start
  // The work after the message ends before the next tab is opened.
  await answered
  return took
}

async function shown(page: Page, text: string): Promise<void> {
  await page.locator('[data-entry].me', { hasText: text }).first().waitFor()
}
