import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
let modelId: string
beforeAll(async () => {
  stage = await startBrowserStage()
  modelId = await stage.connectModel()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function newThread(options: Parameters<BrowserStage['open']>[1] = {}): Promise<Page & AsyncDisposable> {
  const page = await stage.open('/threads/new', options)
  await messageField(page).waitFor()
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}

/** Text that arrives piece by piece, when the test says so. */
function heldText() {
  const pieces: string[] = []
  let wake = Promise.withResolvers<void>()
  let hasEnded = false
  return {
    text: (async function* () {
      for (;;) {
        while (pieces.length > 0) yield pieces.shift() ?? ''
        if (hasEnded) return
        await wake.promise
        wake = Promise.withResolvers()
      }
    })(),
    say: (piece: string) => {
      pieces.push(piece)
      wake.resolve()
    },
    end: () => {
      hasEnded = true
      wake.resolve()
    },
  }
}

const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })
const queue = (page: Page) => page.getByRole('region', { name: 'Queued messages' })

describe('a response', () => {
  test('appears while it is written, and a reload during it loses and duplicates nothing', async () => {
    await using page = await newThread()
    const held = heldText()
    stage.models.reply({ text: held.text })
    await send(page, 'Tell me slowly.')
    held.say('One **two** ')
    await page.getByRole('log').getByText('One two').waitFor()
    await page.waitForURL(/\/threads\/(?!new)/)
    await page.reload()
    await page.getByRole('log').getByText('One two').waitFor()
    held.say('three four.')
    await page.getByRole('log').getByText('One two three four.').waitFor()
    held.end()
    await answered(page)
    expect((await page.getByRole('log').innerText()).match(/One/g)).toHaveLength(1)
    await expect.poll(() => page.locator('[aria-live=polite]').allInnerTexts()).toContain('Response finished.')
  })

  test('fetches no image from its text and runs no script in it', async () => {
    await using page = await newThread()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    stage.models.reply({
      text: 'See ![secret](http://images.example/p.png?k=v) <img src=x onerror="document.title=1"> [x](javascript:alert(1))\n\n<script>document.title=2</script>\n\nEnd.',
    })
    await send(page, 'Show me.')
    await page.getByRole('log').getByText('End.').waitFor()
    await answered(page)
    expect(requested.filter((url) => url.includes('images.example'))).toEqual([])
    expect(await page.locator('.stream a[href^="javascript"]').count()).toBe(0)
    expect(await page.title()).toContain('threadbox')
  })

  test('draws formulas and diagrams, leaves prices alone, and does not move what follows them', async () => {
    await using page = await newThread()
    const held = heldText()
    stage.models.reply({ text: held.text })
    await send(page, 'Explain.')
    held.say(
      'It costs $5 and $10. Then $x^2$ and \\[\\frac{a}{b}\\]\n\n```mermaid\ngraph TD\n  A --> B["<img src=x>"]\n',
    )
    const log = page.getByRole('log')
    await log.locator('.katex-display').waitFor()
    await log.getByText('graph TD').waitFor()
    held.say('```\n\nAfter the diagram.')
    await log.getByText('After the diagram.').waitFor()
    const written = await log.locator('.md-diagram').boundingBox()
    const diagram = log.getByRole('img', { name: /graph TD/ })
    await diagram.waitFor()
    expect((await log.locator('.md-diagram').boundingBox())?.height).toBe(written?.height)
    expect(await diagram.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBeGreaterThan(0)
    expect(await log.getByText('It costs $5 and $10.').isVisible()).toBe(true)
    expect(await log.locator('.katex math').count()).toBe(2)
    held.end()
    await answered(page)
    await log.getByRole('button', { name: 'Show source' }).click()
    await log.getByText('graph TD').waitFor()
    await log.getByRole('button', { name: 'Enlarge diagram' }).click()
    await page.getByRole('dialog', { name: 'Diagram' }).getByRole('img').waitFor()
  })

  test('shows an invalid diagram as its source, with the reason', async () => {
    await using page = await newThread()
    stage.models.reply({ text: '```mermaid\ngraph TD\n  A -->\n```\n\nand $\\frac{$ too' })
    await send(page, 'Explain.')
    await answered(page)
    await page.getByText('Couldn’t draw the diagram:').waitFor()
    await page.getByRole('log').getByText('\\frac{').waitFor()
  })

  test('is stopped with one click; the text so far stays and the next message works', async () => {
    await using page = await newThread()
    const held = heldText()
    stage.models.reply({ text: held.text })
    await send(page, 'Go on for ever.')
    held.say('Half an answer')
    await page.getByText('Half an answer').waitFor()
    await stopButton(page).click()
    await page.getByRole('log').getByText('Stopped').waitFor()
    held.end()
    await answered(page)
    expect(await page.getByText('Half an answer').count()).toBe(1)
    stage.models.reply({ text: 'Here again.' })
    await send(page, 'And now?')
    await page.getByText('Here again.').waitFor()
  })

  test('Esc stops it too, but closes the top layer first', async () => {
    await using page = await newThread()
    const held = heldText()
    stage.models.reply({ text: held.text })
    await send(page, 'Go on.')
    held.say('Working on it')
    await page.getByText('Working on it').waitFor()
    await messageField(page).fill('/')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    expect(await stopButton(page).isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('log').getByText('Stopped').waitFor()
    held.end()
  })

  test('queues messages, which can be changed; Stop holds the queue', async () => {
    await using page = await newThread()
    const held = heldText()
    stage.models.reply({ text: held.text })
    await send(page, 'First.')
    held.say('Answering')
    await page.getByText('Answering').waitFor()
    for (const text of ['alpha', 'beta', 'gamma']) {
      await send(page, text)
      await queue(page).getByText(text).waitFor()
    }
    await queue(page)
      .getByRole('listitem')
      .filter({ hasText: 'gamma' })
      .getByRole('button', { name: 'Move up' })
      .click()
    const order = () => queue(page).getByRole('listitem').allInnerTexts()
    await expect.poll(order).toEqual(['alpha', 'gamma', 'beta'])
    await queue(page)
      .getByRole('listitem')
      .filter({ hasText: 'gamma' })
      .getByRole('button', { name: 'Remove queued message' })
      .click()
    await expect.poll(order).toEqual(['alpha', 'beta'])
    await messageField(page).press('ArrowUp')
    await queue(page).getByRole('textbox').fill('beta changed')
    await queue(page).getByRole('button', { name: 'Save' }).click()
    await expect.poll(order).toEqual(['alpha', 'beta changed'])
    await stopButton(page).click()
    await queue(page).getByText('2 messages on hold because the response didn’t finish').waitFor()
    held.end()
    stage.models.reply({ text: 'Answer to alpha.' }, { text: 'Answer to beta.' })
    await queue(page).getByRole('button', { name: 'Send now' }).click()
    await page.getByText('Answer to beta.').waitFor()
    await queue(page).waitFor({ state: 'detached' })
  })

  test('is requested again with another text: later messages are removed', async () => {
    await using page = await newThread()
    stage.models.reply({ text: 'About apples.' }, { text: 'About pears.' })
    await send(page, 'Apples?')
    await page.getByText('About apples.').waitFor()
    await answered(page)
    await messageField(page).press('ArrowUp')
    await page.getByRole('textbox', { name: 'Edit message' }).fill('Pears?')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('About pears.').waitFor()
    expect(await page.getByText('About apples.').count()).toBe(0)
  })
})

describe('a turn that failed', () => {
  test.each([
    ['wrong-key', 'Scripted model rejected the API key', 'Open settings'],
    ['overloaded', 'Scripted model is overloaded', 'Try again'],
    ['context-full', 'This conversation is too long for Scripted model', 'Switch model'],
  ] as const)('%s says so and offers what helps', async (failure, title, action) => {
    await using page = await newThread()
    stage.models.when((request) =>
      request.messages.some((message) => JSON.stringify(message).includes(`fail with ${failure}`))
        ? { failure }
        : undefined,
    )
    await send(page, `Please fail with ${failure}.`)
    await page.getByText(title, { exact: true }).waitFor({ timeout: 90_000 })
    const failed = page.locator('.failure')
    expect(await failed.getByText(action, { exact: false }).first().isVisible()).toBe(true)
    await expect.poll(() => page.locator('[aria-live=assertive]').allInnerTexts()).toContain('The response failed.')
  })

  test('a rate limit counts down and Retry asks again', async () => {
    await using page = await newThread()
    let isLimited = true
    stage.models.when((request) => {
      if (!request.messages.some((message) => JSON.stringify(message).includes('too often'))) return undefined
      return isLimited ? { failure: 'rate-limited', retryAfterSeconds: 90 } : { text: 'Now I can.' }
    })
    await send(page, 'Ask too often.')
    await page.getByText('Too many requests to Scripted model').waitFor({ timeout: 90_000 })
    await page.getByRole('button', { name: /available in 1 min/ }).waitFor()
    await page.getByRole('button', { name: /available in (?:1 min \d+|5\d|4\d) s/ }).waitFor()
    isLimited = false
    await page.getByRole('button', { name: /^Try again/ }).click()
    // The rule answers the title request too, so the same words can appear in header and sidebar.
    await page.getByRole('log').getByText('Now I can.').waitFor()
    await page.getByText('Too many requests').waitFor({ state: 'detached' })
  })

  test('the model can be chosen for a thread and shows what it took', async () => {
    await using page = await newThread()
    stage.models.reply({ text: 'Counted.', usage: { inputTokens: 1200, outputTokens: 34 } })
    await page.getByRole('button', { name: 'Model: Scripted model' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Scripted model' }).click()
    await send(page, 'Count.')
    await page.getByText('Counted.').waitFor()
    await page.getByText(/1\.2K tokens/).waitFor()
    expect(modelId).not.toBe('')
  })
})

describe('reading', () => {
  test('follows the end, stops at the smallest scroll up, and resumes with Latest', async () => {
    await using page = await newThread()
    const held = heldText()
    stage.models.reply({ text: held.text })
    await send(page, 'Write a long list.')
    held.say(Array.from({ length: 120 }, (_, line) => `- line ${line}\n`).join(''))
    await page.getByText('line 119').waitFor()
    const scroller = page.locator('.scroll')
    const distance = () =>
      scroller.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop)
    await expect.poll(distance).toBeLessThan(2)
    await scroller.hover()
    await page.mouse.wheel(0, -600)
    await page.getByRole('button', { name: 'Latest' }).waitFor()
    const before = await scroller.evaluate((element) => element.scrollTop)
    held.say(Array.from({ length: 60 }, (_, line) => `- more ${line}\n`).join(''))
    await page.getByText('more 59').waitFor({ state: 'attached' })
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(before)
    await page.getByRole('button', { name: 'Latest' }).click()
    await expect.poll(distance).toBeLessThan(2)
    held.end()
  })
})
