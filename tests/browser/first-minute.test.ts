import { repeats } from '@threadbox/testkit/repeats'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** What a person sees in the first minute, on a real sandbox, without a model. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const patient = { timeout: 120_000 }
const words = {
  en: {
    locale: 'en-US',
    button: 'Watch a computer survive',
    steps: ['Counting', 'Asleep', 'It survived'],
    pane: 'Preview',
    stop: 'Stop here',
    done: 'Done',
    report: /^Resumed from memory in/,
  },
  de: {
    locale: 'de-DE',
    button: 'Einem Computer beim Überleben zusehen',
    steps: ['Sie zählt', 'Sie schläft', 'Sie hat überlebt'],
    pane: 'Vorschau',
    stop: 'Hier aufhören',
    done: 'Fertig',
    report: /aus dem Speicher fortgesetzt/,
  },
} as const
type Words = (typeof words)[keyof typeof words]

const strip = (page: Page, { button }: Words) => page.getByRole('region', { name: button })
const shownCount = async (page: Page) =>
  Number(
    await page
      .frameLocator('.frame iframe')
      .getByRole('timer')
      .innerText({ timeout: 1000 })
      .catch(() => '0'),
  )

const languages = repeats({ what: 'languages in which the first minute is seen', byDefault: 1, full: 2 })
test.each(Object.values(words).slice(0, languages))(
  'A2: $button: a counter starts, sleeps, wakes and continues, by keyboard alone',
  async (own) => {
    const page = await stage.open('/threads/new', { width: 1440, height: 900, locale: own.locale })
    await using _page = { [Symbol.asyncDispose]: () => closePage(page) }
    await page.getByRole('button', { name: own.button }).focus()
    await page.keyboard.press('Enter')
    for (const step of own.steps.slice(0, 2)) {
      await strip(page, own).getByText(step, { exact: true }).waitFor(patient)
      expect(await strip(page, own).getByRole('button', { name: own.stop }).isEnabled()).toBe(true)
    }
    await page.getByRole('complementary', { name: own.pane }).waitFor(patient)
    await strip(page, own).getByText(own.steps[2], { exact: true }).waitFor(patient)
    const told = await strip(page, own).getByRole('status').innerText()
    const [before = 0, after = 0] = [...told.matchAll(/\d+/g)].map(Number)
    expect(before).toBeGreaterThanOrEqual(5)
    expect(after).toBeGreaterThan(before)
    await expect.poll(() => shownCount(page), patient).toBeGreaterThan(after)
    const threadId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.getByRole('button', { name: own.report }).waitFor(patient)
    await expect
      .poll(async () => (await stage.installation.client.sandboxes.get(threadId)).latestReport, patient)
      .toMatchObject({ status: 'complete', from: 'frozen', counts: { service: { kept: 1, lost: 0 } } })
    await strip(page, own).getByRole('button', { name: own.done }).focus()
    await page.keyboard.press('Enter')
    await strip(page, own).waitFor({ state: 'detached' })
  },
)

test('the demo can be left at any step, and leaves the thread unchanged', async () => {
  const page = await stage.open('/threads/new', { width: 390, height: 844 })
  await using _page = { [Symbol.asyncDispose]: () => closePage(page) }
  await page.getByRole('button', { name: words.en.button }).click()
  await strip(page, words.en).getByText('Counting', { exact: true }).waitFor(patient)
  await strip(page, words.en).getByRole('button', { name: 'Stop here' }).click()
  await strip(page, words.en).waitFor({ state: 'detached' })
  const threadId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const { services } = await stage.installation.client.services.list(threadId)
  expect(services.map(({ status }) => status)).toEqual(['running'])
})
