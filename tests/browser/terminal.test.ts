import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** Real terminals in a real sandbox, seen and used in the terminal pane. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const patient = { timeout: 60_000 }
const pane = (page: Page) => page.getByRole('complementary', { name: 'Terminal' })
const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true })
const toggle = (page: Page) => page.getByRole('group', { name: 'Panes' }).getByRole('button', { name: 'Terminal' })
/** The lines on the screen. */
const screen = (page: Page) => pane(page).locator('.xterm-rows')
const input = (page: Page) => pane(page).getByRole('textbox', { name: /^Terminal, / })
const hasFocus = (page: Page) => input(page).evaluate((field) => field.matches(':focus'))
async function sees(page: Page, text: string | RegExp) {
  const isSeen = expect.poll(() => screen(page).innerText(), patient).toMatch(text)
  await isSeen.catch(async (error: unknown) => {
    // Its status says why a screen stays empty.
    const { sandbox } = await stage.installation.client.threads.get(threadIdOf(page))
    throw new Error(`the pane of a sandbox that is ${sandbox.state} shows ${await pane(page).innerText()}`, {
      cause: error,
    })
  })
}
const threadIdOf = (page: Page) => /\/threads\/([^/?#]+)/.exec(page.url())?.[1] ?? ''

async function openThread(options: Parameters<BrowserStage['open']>[1] = {}) {
  const { id } = await stage.installation.client.threads.create({})
  const page = await stage.open(`/threads/${id}`, { width: 1440, height: 900, ...options })
  return Object.assign(page, { threadId: id, [Symbol.asyncDispose]: () => closePage(page) })
}

async function openTerminal(page: Page) {
  await toggle(page).click()
  await button(page, 'New terminal').last().click()
  await sees(page, /\$/)
}

async function type(page: Page, text: string) {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

test('O3, G8: the first terminal starts the sandbox, has the focus, keeps Escape and Tab, and F6 leaves it', async () => {
  await using page = await openThread()
  await toggle(page).click()
  await pane(page).getByText('No terminals yet').waitFor()
  expect((await stage.installation.client.threads.get(page.threadId)).sandbox.state).toBe('fresh')
  await button(page, 'New terminal').click()
  await sees(page, /\$/)
  await type(page, 'echo typed-$((1+1))')
  await sees(page, /typed-2/)
  await page.keyboard.type('ech')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  expect(await hasFocus(page)).toBe(true)
  await page.keyboard.press('F6')
  expect(await hasFocus(page)).toBe(false)
})

test('G8: a full screen survives reload, pause and wake, and a reload types nothing into it', async () => {
  await using page = await openThread()
  await openTerminal(page)
  await type(page, 'seq 1 500 > lines; vim -u NONE lines')
  await sees(page, /500L|500 lines/)
  await page.reload()
  await sees(page, /^1\n2\n/)
  await stage.installation.client.sandboxes.pause(page.threadId)
  await pane(page).getByText('Typing wakes it').waitFor(patient)
  await page.reload()
  await pane(page).getByText('Typing wakes it').waitFor(patient)
  expect((await stage.installation.client.threads.get(page.threadId)).sandbox.state).toBe('paused')
  await button(page, 'Wake').click()
  await sees(page, /^1\n2\n/)
  await input(page).focus()
  await type(page, ':q!')
  await type(page, 'echo back-$((1+1))')
  await sees(page, /back-2/)
})

test('G8: it is as large as its pane, each tab has its own shell, and one is closed with what runs in it', async () => {
  await using page = await openThread()
  await openTerminal(page)
  const columns = async (marker: string) => {
    await type(page, `echo ${marker}-$COLUMNS-`)
    await sees(page, new RegExp(`${marker}-\\d+-`))
    return Number(new RegExp(`${marker}-(\\d+)-`).exec(await screen(page).innerText())?.[1])
  }
  const wide = await columns('wide')
  await page.setViewportSize({ width: 1000, height: 700 })
  await expect.poll(() => columns(`narrow${Date.now()}`), patient).toBeLessThan(wide)
  await type(page, 'cd /tmp')
  await button(page, 'New terminal').click()
  const tabs = pane(page).getByRole('tab')
  await expect.poll(() => tabs.count(), patient).toBe(2)
  await sees(page, /~\$/)
  await tabs.first().click()
  await sees(page, /\/tmp\$/)
  await button(page, 'More actions for this terminal').click()
  await page.getByRole('menuitem', { name: /^Close terminal/ }).click()
  await expect.poll(() => tabs.count(), patient).toBe(1)
})

test('G8: selected text is copied, clipboard text is pasted, and a link of the sandbox opens its preview', async () => {
  await using page = await openThread()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openTerminal(page)
  await page.evaluate("navigator.clipboard.writeText('echo pasted-$((1+1))')")
  await page.keyboard.press('Control+Shift+V')
  await page.keyboard.press('Enter')
  await sees(page, /pasted-2/)
  await type(page, 'clear; echo choose-me')
  await sees(page, /^choose-me/)
  await screen(page).getByText('choose-me', { exact: true }).dblclick({ force: true })
  await input(page).focus()
  await page.keyboard.press('Control+Shift+C')
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('choose')
  await type(page, 'clear; echo http://localhost:8123/docs')
  await sees(page, /^http:\/\/localhost:8123\/docs/)
  // A line that the pointer has not left is not checked again: the pointer has to come from another one.
  await screen(page).locator('> div').nth(10).hover({ force: true })
  await screen(page).getByText('http://localhost:8123/docs').click({ force: true })
  await page.getByRole('complementary', { name: 'Preview' }).waitFor(patient)
})

test('G8: a terminal is renamed, by keyboard too, and keeps its name', async () => {
  await using page = await openThread()
  await openTerminal(page)
  await button(page, 'More actions for this terminal').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
  const name = page.getByRole('dialog', { name: 'Rename terminal' }).getByLabel('Name')
  await name.fill('build log')
  await name.press('Enter')
  await pane(page).getByRole('tab', { name: 'build log' }).waitFor()
  await page.reload()
  await pane(page).getByRole('tab', { name: 'build log' }).waitFor()
  await input(page).focus()
  expect(await input(page).getAttribute('aria-label')).toContain('build log')
})

test('G8: after the memory was discarded it says so in German, and a new one replaces it, on a phone too', async () => {
  await using page = await openThread({ width: 390, height: 844, locale: 'de-DE', isTouch: true })
  await page.getByRole('button', { name: 'Terminal', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Terminal' })
  await sheet.getByRole('button', { name: 'Neues Terminal' }).click()
  await expect.poll(() => sheet.locator('.xterm-rows').innerText(), patient).toMatch(/\$/)
  await stage.installation.client.sandboxes.restart(page.threadId)
  await sheet.getByText('Die Shell ist verloren').waitFor(patient)
  await sheet.getByRole('status').getByRole('button', { name: 'Neues Terminal' }).click()
  await expect
    .poll(async () => (await stage.installation.client.terminals.list(page.threadId)).terminals, patient)
    .toEqual([expect.objectContaining({ status: 'running' })])
})
