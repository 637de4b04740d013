import { readFile } from 'node:fs/promises'
import { hostPaths } from '@threadbox/protocol/host'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Draws with pandas and matplotlib. It is not in the image. */
const extraPackage = 'mplfinance'
const installTimeoutMs = 150_000
const csv = 'day,open,high,low,close\n2024-01-02,10,13,9,12\n2024-01-03,12,15,11,14\n2024-01-04,14,16,10,11\n'
const chart = [
  'import pandas as pd, matplotlib, mplfinance as mpf',
  'sales = pd.read_csv("/home/user/sales.csv", index_col="day", parse_dates=True)',
  'mpf.plot(sales, type="candle", title="Sales")',
].join('\n')
const install = `pip install pandas matplotlib ${extraPackage}`

async function newThread(): Promise<Page & AsyncDisposable> {
  const page = await stage.open('/threads/new')
  await messageField(page).waitFor()
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}

const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name }).last()

async function printed(page: Page, name: RegExp): Promise<string> {
  const command = card(page, name)
  const output = command.getByRole('region', { name: 'Output' })
  if (!(await output.isVisible())) await command.getByRole('button', { expanded: false }).first().click()
  await output.waitFor()
  return await output.innerText()
}

/** Resolves when the figure of the cell is a decoded image. */
async function figureShown(page: Page): Promise<void> {
  const figure = card(page, /^Python/).getByRole('img')
  await figure.waitFor({ timeout: 90_000 })
  await expect.poll(() => figure.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBeGreaterThan(100)
}

async function downloaded(page: Page, name: string): Promise<string> {
  const link = page.getByRole('link', { name: `Download ${name}`, exact: true }).last()
  await link.waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return await readFile(await download.path(), 'utf8')
}

async function sandboxCount(): Promise<number> {
  const { body } = await stage.installation.host.request('GET', hostPaths.list())
  return (body as { sandboxes: unknown[] }).sandboxes.length
}

describe('direct mode', () => {
  test('O3: messages that need no tool start no sandbox; the first command does', async () => {
    await using page = await newThread()
    const before = await sandboxCount()
    await send(page, '/help')
    await page.getByText('Commands you can use without a model').waitFor()
    await answered(page)
    await send(page, 'What is in this folder?')
    await page.getByRole('log').getByText('No model connected').waitFor()
    await answered(page)
    expect(await sandboxCount()).toBe(before)
    await send(page, '/run echo first')
    await card(page, /^Command echo first/)
      .getByText('exit 0')
      .waitFor()
    expect(await sandboxCount()).toBe(before + 1)
  })

  test('C1, C7, C8, O1, O2, G8: a package is installed by hand, the next cell draws with it and a file of an earlier message, and the file comes back byte for byte', async () => {
    await using page = await newThread()
    await send(page, `/run python -c 'import ${extraPackage}'`)
    await card(page, /^Command python/)
      .getByText('exit 1')
      .waitFor()
    expect(await printed(page, /^Command python/)).toContain('ModuleNotFoundError')
    await send(page, `/run ${install}`)
    await card(page, /^Command pip install/)
      .getByText('exit 0')
      .waitFor({ timeout: installTimeoutMs })
    expect(await printed(page, /^Command pip install/)).toMatch(new RegExp(`Successfully installed .*${extraPackage}`))
    await send(page, `/run printf '${csv.replaceAll('\n', '\\n')}' > sales.csv`)
    await card(page, /^Command printf/)
      .getByText('exit 0')
      .waitFor()
    await send(page, `/python ${chart}`)
    await figureShown(page)
    await answered(page)
    await send(page, '/share ~/sales.csv')
    expect(await downloaded(page, 'sales.csv')).toBe(csv)
  })
})

describe.each(['anthropic', 'openai'] as const)('with a model over the protocol of %s', (provider) => {
  beforeAll(async () => {
    await stage.connectModel({ provider })
  })

  test('O3: a plain question starts no sandbox; the first tool call does', async () => {
    await using page = await newThread()
    const before = await sandboxCount()
    stage.models.reply({ text: 'Four.' })
    await send(page, 'What is two and two?')
    await page.getByRole('log').getByText('Four.').waitFor()
    await answered(page)
    expect(await sandboxCount()).toBe(before)
    stage.models.reply({ calls: [{ name: 'run_command', input: { command: 'expr 2 + 2' } }] }, { text: 'Still four.' })
    await send(page, 'Ask the machine.')
    await page.getByRole('log').getByText('Still four.').waitFor()
    expect(await sandboxCount()).toBe(before + 1)
  })

  test('C1, C2, C7, C8, O1, O2, G8: pandas and matplotlib (there already) and mplfinance (not in the image) are installed in one message, the next draws without installing, sales.csv is read by path in a later one and downloads byte for byte', async () => {
    await using page = await newThread()
    const firstRequest = stage.models.requests.length
    stage.models.reply(
      { calls: [{ name: 'run_command', input: { command: `python -c 'import ${extraPackage}'` } }] },
      { calls: [{ name: 'run_command', input: { command: install } }] },
      { text: 'Installed.' },
    )
    await send(page, 'Install pandas and matplotlib')
    await card(page, /^Command pip install/)
      .getByText('exit 0')
      .waitFor({ timeout: installTimeoutMs })
    await page.getByRole('log').getByText('Installed.').waitFor()
    await answered(page)
    expect(await printed(page, /^Command pip install/)).toMatch(new RegExp(`Successfully installed .*${extraPackage}`))

    stage.models.reply(
      { calls: [{ name: 'write_file', input: { path: '/home/user/sales.csv', content: csv } }] },
      { calls: [{ name: 'run_python', input: { code: chart } }] },
      { text: 'Here is the chart.' },
    )
    await send(page, 'Make a chart of these sales')
    await figureShown(page)
    await page.getByRole('log').getByText('Here is the chart.').waitFor()
    await answered(page)

    stage.models.reply(
      { calls: [{ name: 'read_file', input: { path: '/home/user/sales.csv' } }] },
      { calls: [{ name: 'share_file', input: { path: 'sales.csv' } }] },
      { text: 'Three days.' },
    )
    await send(page, 'How many days are in /home/user/sales.csv? Give it to me.')
    await page.getByRole('log').getByText('Three days.').waitFor()
    await answered(page)
    expect(await downloaded(page, 'sales.csv')).toBe(csv)

    const requests = stage.models.requests.slice(firstRequest)
    expect(new Set(requests.map((request) => request.protocol))).toEqual(new Set([provider]))
    const results = requests.at(-1)?.messages.flatMap((message) => message.results) ?? []
    const calls = requests.at(-1)?.messages.flatMap((message) => message.calls) ?? []
    expect(results.some((result) => result.text.includes('ModuleNotFoundError'))).toBe(true)
    expect(calls.filter((call) => JSON.stringify(call.input).includes('pip install'))).toHaveLength(1)
    expect(results.some((result) => result.text.includes('2024-01-04,14,16,10,11'))).toBe(true)
  })
})
