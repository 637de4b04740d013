import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { repeats } from '@threadbox/testkit/repeats'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, messageField, type PageOptions, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** A page on a thread that does not exist yet. Its console errors are collected. */
async function newThread(options: PageOptions = {}): Promise<Page & AsyncDisposable & { complaints: string[] }> {
  const page = await stage.open('/threads/new', options)
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await messageField(page).waitFor()
  return Object.assign(page, { complaints, [Symbol.asyncDispose]: () => closePage(page) })
}

const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name }).last()

describe('direct mode', () => {
  test('C1, O3: a command runs in the thread’s own Linux and its card shows what it printed', async () => {
    await using page = await newThread()
    await send(page, '/run uname -a; echo "kernel of $(whoami)"')
    const command = card(page, /^Command uname -a/)
    await command.getByText('exit 0').waitFor()
    await command.getByRole('button', { name: /uname -a/ }).click()
    await command.getByText('kernel of user').waitFor()
    await page.getByRole('status').getByText('Active').waitFor()
    expect(page.complaints).toEqual([])
  })

  test('O1: a command that fails opens itself, red, with the end of what it printed', async () => {
    await using page = await newThread()
    await send(page, '/run seq 40; echo gone >&2; exit 3')
    const command = card(page, /^Command seq 40/)
    await command.getByText('exit 3').waitFor()
    const output = command.getByRole('region', { name: 'Output' })
    expect((await output.innerText()).split('\n')).toHaveLength(12)
    await command.getByRole('button', { name: /^Show all/ }).click()
    await expect.poll(async () => (await output.innerText()).split('\n')[0]).toBe('1')
    expect((await output.innerText()).trim().split('\n')).toHaveLength(41)
  })

  const printed = repeats({ what: 'megabytes that a command prints to a page', byDefault: 40, full: 100 })
  test(`a command that prints ${printed} MB leaves the page small and every byte available`, async () => {
    await using page = await newThread()
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    const heapMegabytes = async () => {
      await session.send('HeapProfiler.collectGarbage')
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find((metric) => metric.name === 'JSHeapUsedSize')?.value ?? 0) / 1e6
    }
    const before = await heapMegabytes()
    await send(page, `/run yes "a line of a flood that goes on" | head -c ${printed}000000; echo; echo the last line`)
    const command = card(page, /^Command yes/)
    await command.getByText('exit 0').waitFor({ timeout: 120_000 })
    await command.getByRole('button', { name: /yes/ }).click()
    await command.getByRole('region', { name: 'Output' }).getByText('the last line').waitFor()
    await command.getByRole('button', { name: new RegExp(`^Show all ${printed} MB`) }).click()
    await command.getByRole('link', { name: 'Download', exact: true }).waitFor()
    const after = await heapMegabytes()
    console.log(`heap of the page: ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`)
    expect(after - before).toBeLessThan(printed * 0.4)
  })

  test('O2: a data frame is a real table and a figure is an image, both inline', async () => {
    await using page = await newThread()
    await send(page, '/python import pandas as pd\npd.DataFrame({"city": list("abcdefghijkl"), "trips": range(12)})')
    const cell = card(page, /^Python/)
    await cell.getByRole('columnheader', { name: 'trips' }).waitFor({ timeout: 60_000 })
    await cell.getByText('8 of 12 rows').waitFor()
    await cell.getByRole('button', { name: 'Show all' }).click()
    await cell.getByRole('cell', { name: '11', exact: true }).waitFor()
    await answered(page)
    await send(page, '/python import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.title("Trips")\nplt.show()')
    const figure = card(page, /^Python: import matplotlib/).getByRole('img')
    await figure.waitFor({ timeout: 60_000 })
    await expect
      .poll(() => figure.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
      .toBeGreaterThan(100)
    expect(page.complaints).toEqual([])
  })

  test('O2: HTML of a cell stands in a frame without this page’s origin, and its scripts run there only', async () => {
    await using page = await newThread()
    const html =
      '<h1 id=made>made</h1><form></form><script>document.querySelector("#made").textContent = "made by a script"\n' +
      'try { parent.document.title = "taken" } catch {}</script>'
    await send(page, `/python from IPython.display import HTML\nHTML(${JSON.stringify(html)})`)
    const frame = page.locator('iframe.frame-html')
    await frame.waitFor({ timeout: 60_000 })
    expect((await frame.getAttribute('sandbox'))?.split(' ')).not.toContain('allow-same-origin')
    await page.frameLocator('iframe.frame-html').getByText('made by a script').waitFor()
    expect(await page.title()).not.toContain('taken')
  })

  test('G5: a traceback begins with the error and offers to have it fixed', async () => {
    await using page = await newThread()
    await send(page, '/python def inner():\n    return {}["missing"]\ninner()')
    const cell = card(page, /^Python/)
    await cell.getByText("KeyError: 'missing'").first().waitFor({ timeout: 60_000 })
    await cell.getByRole('button', { name: 'Ask to fix' }).click()
    expect(await messageField(page).inputValue()).toContain('KeyError')
  })

  test('text typed while the first message is being sent moves into the thread', async () => {
    await using page = await newThread()
    const release = Promise.withResolvers<void>()
    await page.route('**/api/v1/threads', async (route) => {
      if (route.request().method() === 'POST') await release.promise
      await route.continue()
    })
    await send(page, '/help')
    await messageField(page).pressSequentially('the next thought')
    release.resolve()
    await page.waitForURL(/\/threads\/(?!new)/)
    await page.getByText('Commands you can use without a model').waitFor()
    expect(await messageField(page).inputValue()).toBe('the next thought')
  })

  test('a first message that cannot be sent returns to the field', async () => {
    await using page = await newThread()
    await page.route('**/api/v1/threads', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await send(page, 'not lost')
    await page.getByText('The server didn’t respond.').waitFor()
    expect(await messageField(page).inputValue()).toBe('not lost')
  })

  test('a message without a model says how to connect one; /help lists the commands', async () => {
    await using page = await newThread()
    await send(page, 'What is in this folder?')
    await page.getByRole('log').getByText('No model connected').waitFor()
    await answered(page)
    await send(page, '/help')
    await page.getByText('Commands you can use without a model').waitFor()
  })
})

describe('files', () => {
  test('C8: a message sent while a file is uploading is sent with it, and not if more text is typed', async () => {
    await using page = await newThread()
    await send(page, '/run echo ready')
    await page.waitForURL(/\/threads\/(?!new)/)
    await card(page, /^Command echo/)
      .getByText('exit 0')
      .waitFor()
    const arrived = Promise.withResolvers<void>()
    await page.route(/\/uploads\?/, async (route) => {
      await arrived.promise
      await route.continue()
    })
    const file = { name: 'slow.csv', mimeType: 'text/csv', buffer: Buffer.from('slow\n') }
    await page.locator('input[type=file]').setInputFiles([file])
    const message = page.locator('#message')
    await message.fill('/run cat ~/uploads/slow')
    await message.press('Enter')
    await page.getByText('Sends when the uploads finish.').waitFor()
    await message.press('End')
    await message.pressSequentially('.csv')
    expect(await page.getByText('Sends when the uploads finish.').count()).toBe(0)
    await message.press('Enter')
    await page.getByText('Sends when the uploads finish.').waitFor()
    arrived.resolve()
    await card(page, /^Command cat/)
      .getByText('exit 0')
      .waitFor()
    expect(await page.getByRole('list', { name: 'Attached files' }).getByRole('link').count()).toBe(1)
    expect(await message.inputValue()).toBe('')
  })

  test('C8: two files with one name are uploaded with progress, saved separately, and can be read by path', async () => {
    await using page = await newThread()
    const file = (content: string) => ({ name: 'sales.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
    await page.locator('input[type=file]').setInputFiles([file('first\n'), file('second\n')])
    await page.waitForURL(/\/threads\/(?!new)/)
    const chips = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem')
    await expect
      .poll(() => chips.evaluateAll((items) => items.map((item) => item.getAttribute('data-status'))))
      .toEqual(['done', 'done'])
    await send(page, '/run cat ~/uploads/*')
    const command = card(page, /^Command cat/)
    await command.getByText('exit 0').waitFor()
    await command.getByRole('button', { name: /cat/ }).click()
    const output = command.getByRole('region', { name: 'Output' })
    await output.waitFor()
    expect((await output.innerText()).trim().split('\n').sort()).toEqual(['first', 'second'])
    expect(await page.getByRole('list', { name: 'Attached files' }).getByRole('link').count()).toBe(2)
  })

  test('a dropped and a pasted file are attached like one from the button', async () => {
    await using page = await newThread()
    await page.evaluate(`{
      const transfer = new DataTransfer()
      transfer.items.add(new File(['dropped'], 'dropped.txt'))
      for (const type of ['dragenter', 'dragover', 'drop']) {
        const event = new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true })
        document.querySelector('.drop-zone').dispatchEvent(event)
      }
    }`)
    await page.waitForURL(/\/threads\/(?!new)/)
    await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()
    await page.evaluate(`{
      const transfer = new DataTransfer()
      transfer.items.add(new File(['pasted'], 'pasted.txt'))
      const paste = new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
      document.querySelector('textarea').dispatchEvent(paste)
    }`)
    const chip = page.getByRole('listitem').filter({ hasText: 'pasted.txt' })
    // Its progress is wider than its size: the button moves once more.
    await expect.poll(() => chip.getAttribute('data-status')).toBe('done')
    await chip.getByRole('button', { name: 'Remove pasted.txt' }).click()
    await chip.waitFor({ state: 'detached' })
  })

  test('G8: the file card of a response downloads identical bytes', async () => {
    await stage.connectModel()
    await using page = await newThread()
    stage.models.reply(
      {
        text: 'I will make it.',
        calls: [
          {
            name: 'run_command',
            input: { command: 'head -c 3000000 /dev/urandom > ~/data.bin; sha256sum ~/data.bin' },
          },
        ],
      },
      { calls: [{ name: 'share_file', input: { path: '/home/user/data.bin' } }] },
      { text: 'The file is at `/home/user/data.bin`.' },
    )
    await send(page, 'Make three megabytes of noise.')
    const link = page.getByRole('link', { name: 'Download data.bin', exact: true })
    await link.waitFor()
    await answered(page)
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const bytes = await readFile(await download.path())
    const command = card(page, /^Command head/)
    await command.getByRole('button', { name: /head -c/ }).click()
    const printed = await command.getByRole('region', { name: 'Output' }).innerText()
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(printed.trim().split(/\s/)[0])
    const inText = page.getByRole('log').locator('a.path-link', { hasText: '/home/user/data.bin' })
    expect(await inText.getAttribute('href')).toContain('path=%2Fhome%2Fuser%2Fdata.bin')
    expect(page.complaints).toEqual([])
  })
})
