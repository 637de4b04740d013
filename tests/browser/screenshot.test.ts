import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { UserMessageEntry } from '@threadbox/protocol/public'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import {
  address,
  badges,
  camera,
  drag,
  frame,
  isShooting,
  pane,
  region,
  type ScreenshotStage,
  shoot,
  show,
  startScreenshotStage,
} from './screenshot/screenshot-stage.ts'

/** Screenshots of pages of a real sandbox, as a person takes and sends them. */
let screenshots: ScreenshotStage
let otherSite: Awaited<ReturnType<typeof startOtherSite>>
beforeAll(async () => {
  otherSite = await startOtherSite()
  screenshots = await startScreenshotStage(otherSite)
  await screenshots.stage.connectModel()
})
afterAll(async () => {
  await screenshots?.[Symbol.asyncDispose]()
  await otherSite[Symbol.asyncDispose]()
})
const open: ScreenshotStage['open'] = (...args) => screenshots.open(...args)

/** Another site, of whose images only one address allows cross-origin reads. */
async function startOtherSite(): Promise<AsyncDisposable & { port: number }> {
  const image = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const server = createServer((request, response) => {
    const open = request.url === '/open.png' ? { 'access-control-allow-origin': '*' } : {}
    response.writeHead(200, { 'content-type': 'image/png', ...open }).end(image)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('O9: choosing a region', () => {
  test('with the mouse: a dragged rectangle becomes a badge at Ask, with the focus in the message', async () => {
    await using page = await open()
    await camera(page).click()
    expect(await isShooting(page)).toBe('true')
    expect(await page.locator('.frame-scroll').getAttribute('inert')).not.toBeNull()
    await drag(page, [40, 60], [340, 260])
    await region(page).and(page.getByLabel('Selected area, 300 by 200')).waitFor()
    await page.locator('.region .size').getByText('300 × 200').waitFor()
    await pane(page).getByRole('button', { name: 'Ask' }).click()
    await badges(page).getByText('pages, selected area').waitFor()
    await badges(page)
      .getByText(/^300 × 200 · \d/)
      .waitFor()
    expect(await page.locator('.shade').count()).toBe(0)
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('message')
    expect(await messageField(page).getAttribute('placeholder')).toBe('Ask about this area')
  })

  test('with the keyboard alone: the center is selected, arrows move and resize it, Enter asks', async () => {
    await using page = await open()
    await camera(page).focus()
    await page.keyboard.press('Enter')
    await region(page).waitFor()
    const box = await page.locator('.shade').boundingBox()
    const half = [Math.round((box?.width ?? 0) / 2), Math.round((box?.height ?? 0) / 2)]
    const place = () => region(page).evaluate((element) => [element.offsetLeft, element.offsetTop])
    await expect
      .poll(() => page.locator(':focus').getAttribute('aria-label'))
      .toBe(`Selected area, ${half[0]} by ${half[1]}`)
    const [x = 0, y = 0] = await place()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(place).toEqual([x + 8, y - 1])
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+Alt+ArrowDown')
    await region(page)
      .and(page.getByLabel(`${(half[0] ?? 0) - 8} by ${(half[1] ?? 0) + 1}`))
      .waitFor()
    await page.keyboard.press('Enter')
    await badges(page)
      .getByText(`${(half[0] ?? 0) - 8} × ${(half[1] ?? 0) + 1}`)
      .waitFor()
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('message')
  })

  test('a click chooses the element under the pointer', async () => {
    await using page = await open('/console')
    const button = await frame(page).getByRole('button', { name: 'One button' }).boundingBox()
    await camera(page).click()
    await page.mouse.click((button?.x ?? 0) + 100, (button?.y ?? 0) + 30)
    await region(page).and(page.getByLabel('Selected area, 200 by 60')).waitFor()
  })

  test('Escape and the camera cancel: nothing is taken, and the focus returns to the camera', async () => {
    await using page = await open()
    await camera(page).click()
    await region(page).waitFor()
    await page.keyboard.press('Escape')
    expect(await isShooting(page)).toBe('false')
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Take a screenshot')
    await camera(page).click()
    await region(page).waitFor()
    await messageField(page).focus()
    await page.keyboard.press('Escape')
    await region(page).waitFor({ state: 'detached' })
    await camera(page).click()
    await region(page).waitFor()
    await camera(page).click()
    await region(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Take a screenshot')
    expect(await badges(page).count()).toBe(0)
  })
})

test('O9: several badges; X and Backspace remove them; the message has its image, which opens large', async () => {
  await using page = await open('/console')
  const take = async (width: number) => {
    await camera(page).click()
    await drag(page, [10, 10], [10 + width, 130])
    await region(page)
      .and(page.getByLabel(`Selected area, ${width} by 120`))
      .waitFor()
    await page.keyboard.press('Enter')
    await badges(page).getByText(`${width} × 120`).waitFor()
  }
  await take(300)
  await take(310)
  await take(320)
  expect(await badges(page).count()).toBe(3)
  await badges(page).filter({ hasText: '310 × 120' }).getByRole('button', { name: 'Remove screenshot' }).click()
  await expect.poll(() => badges(page).count()).toBe(2)
  await messageField(page).focus()
  await page.keyboard.press('Backspace')
  await expect.poll(() => badges(page).count()).toBe(1)
  screenshots.stage.models.reply({ text: 'A button.' })
  await send(page, 'What is this?')
  await page.getByRole('log').getByText('A button.').waitFor()
  await answered(page)
  const thumbnail = page.getByRole('button', { name: 'Open Screenshot of pages at full size' })
  expect(await thumbnail.locator('img').evaluate((image: { naturalWidth?: number }) => image.naturalWidth)).toBe(300)
  await thumbnail.click()
  const dialog = page.getByRole('dialog', { name: 'Screenshot of pages' })
  await dialog.getByText('/console, 300 × 120').waitFor()
  await dialog.getByRole('img', { name: 'Screenshot of pages' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  const { entries } = await screenshots.stage.installation.client.threads.entries(screenshots.threadId, {})
  const message = entries.find((entry): entry is UserMessageEntry => entry.kind === 'user-message')
  const screenshot = message?.attachments[0]?.screenshot
  expect(screenshot).toMatchObject({
    url: 'http://localhost:8000/console',
    service: 'pages',
    region: { x: 10, y: 10, width: 300, height: 120 },
    viewport: { scale: 1, scrollX: 0, scrollY: 0 },
  })
  expect(screenshot?.elements).toContainEqual({ selector: 'button#one', text: 'One button', width: 200, height: 60 })
  expect(screenshot?.consoleErrors[0]).toBe('KeyError: wind_speed')
  expect(screenshot?.consoleErrors[1]).toContain('not caught')
})

describe('what a page reports about itself', () => {
  test('O4: the address is the page’s real one, also after it navigated; Reload page reloads that', async () => {
    await using page = await open('/console')
    await frame(page).getByRole('button', { name: 'Push' }).click()
    await expect.poll(() => address(page).inputValue()).toBe('/pushed?a=1')
    await show(page, '/plain')
    await frame(page).locator('html').evaluate(`void setTimeout(() => location.assign('/canvas'))`)
    await expect.poll(() => address(page).inputValue()).toBe('/canvas')
    await pane(page).getByRole('button', { name: 'Reload page' }).click()
    await frame(page).getByRole('heading', { name: 'Canvas' }).waitFor()
    // The heading can be that of the page before it was reloaded.
    const path = () => frame(page).locator('html').evaluate('location.pathname').catch(String)
    await expect.poll(path).toBe('/canvas')
  })

  test('O9: its console and errors are shown next to the service’s log, and go to the message', async () => {
    await using page = await open('/console')
    const logs = pane(page).getByRole('region', { name: 'Logs' })
    await logs.getByText('2 errors').waitFor()
    await logs.getByRole('button', { name: 'Open logs' }).click()
    await logs.getByRole('button', { name: 'Page', exact: true }).click()
    await logs.getByText('said hello {deep: [1, 2]}').waitFor()
    await logs.getByText('warn: be careful').waitFor()
    await logs.getByText('Uncaught Error: not caught').waitFor()
    await logs.getByRole('button', { name: 'Add to message' }).click()
    expect(await messageField(page).inputValue()).toContain('Console output of “pages”:\n```\nsaid hello')
    await logs.getByRole('button', { name: 'Close logs' }).click()
  })

  test('nothing of threadbox is left in its document, and its own tab has no bridge', async () => {
    await using page = await open('/plain')
    const html = frame(page).locator('html')
    expect(await html.evaluate((element: { outerHTML?: string }) => element.outerHTML)).not.toContain('threadbox')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      pane(page).getByRole('button', { name: 'Open in new tab' }).click(),
    ])
    await tab.getByRole('heading', { name: 'Plain' }).waitFor()
    const source = await (await tab.reload())?.text()
    expect(source).toContain('<h1>Plain</h1>')
    expect(source).not.toContain('.threadbox')
  })
})

describe('O9: content that a script cannot read', () => {
  test('is named in the badge, and only where it is', async () => {
    await using page = await open('/elsewhere')
    await frame(page).locator('html').evaluate(`showForeign('http://127.0.0.1:${otherSite.port}')`)
    await shoot(page, undefined, { from: [10, 10], to: [400, 285] })
    expect(await badges(page).locator('.shot-missing').count()).toBe(0)
    await shoot(page, undefined, { from: [10, 290], to: [400, 400] })
    const sentence =
      'Missing from the image because scripts can’t read it: a frame, an image from another site, and a video or canvas.'
    await badges(page).getByText(sentence).waitFor()
  })

  test('is reported by the camera if the page allows no script to read it', async () => {
    await using page = await open('/plain')
    await address(page).fill('/trusted')
    await address(page).press('Enter')
    await frame(page).getByRole('heading', { name: 'Trusted types' }).waitFor()
    await camera(page).and(page.locator('[aria-disabled]')).waitFor()
    await camera(page).hover()
    await page.getByText('This page doesn’t let scripts read it (Trusted Types)').first().waitFor()
  })
})
