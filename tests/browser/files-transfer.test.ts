import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PageOptions } from './app-in-browser.ts'
import { button, dialog, openFiles, pane, row, viewer } from './files-pane/files-page.ts'
import { type BrowserStage, startBrowserStage } from './harness.ts'

/** Transfers into and out of a sandbox’s files: uploads, downloads, copies from another thread. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())
const withFiles = (command: string, options?: PageOptions) => openFiles(stage, command, options)

test('C8: files and folders arrive with progress, and nothing is overwritten silently', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'threadbox-upload-'))
  try {
    await mkdir(join(folder, 'inner'))
    await writeFile(join(folder, 'inner', 'deep.txt'), 'deep')
    await writeFile(join(folder, 'taken.txt'), 'from outside')
    await using page = await withFiles('echo inside > ~/taken.txt')
    await pane(page).locator('input[data-files-input=files]').setInputFiles(join(folder, 'taken.txt'))
    await button(page, 'Keep both').click()
    await row(page, /^taken \(2\)\.txt/).waitFor()
    await pane(page).locator('input[data-files-input=folder]').setInputFiles(join(folder, 'inner'))
    await row(page, /^inner/).waitFor()
    const read = async (path: string) => await (await stage.installation.client.files.read(page.threadId, path)).text()
    expect(await read('/home/user/taken.txt')).toBe('inside\n')
    expect(await read('/home/user/taken (2).txt')).toBe('from outside')
    expect(await read('/home/user/inner/deep.txt')).toBe('deep')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('C8: a folder is downloaded as a zip', async () => {
  await using page = await withFiles('mkdir ~/zipped; echo content > ~/zipped/a.txt')
  await row(page, /^zipped/).dblclick()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    pane(page).getByRole('link', { name: 'Download zip' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('zipped.zip')
  expect((await readFile(await download.path())).subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
})

test('C8: a folder of a sandbox that sleeps is downloaded as a zip, and it stays asleep', async () => {
  await using page = await withFiles('mkdir ~/zipped; echo content > ~/zipped/a.txt')
  await stage.installation.client.sandboxes.pause(page.threadId)
  await pane(page).getByText('The sandbox is asleep.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    pane(page).getByRole('link', { name: 'Download zip' }).click(),
  ])
  expect((await readFile(await download.path())).toString('latin1')).toContain('zipped/a.txt')
  expect((await stage.installation.client.threads.get(page.threadId)).sandbox.state).toBe('paused')
})

test('C8: files are copied from another thread, which stays asleep', async () => {
  const other = await stage.installation.newThread()
  await other.say(
    '/run mkdir ~/from && cd ~/from && echo deep > deep.txt && chmod +x deep.txt && head -c 80M /dev/urandom > large.bin',
  )
  await stage.installation.client.threads.update(other.id, { title: 'Where it is' })
  await stage.installation.client.sandboxes.pause(other.id)
  await using page = await withFiles('echo here > ~/here.txt')
  await button(page, 'New').click()
  await page.getByRole('menuitem', { name: 'Copy from another thread…' }).click()
  await dialog(page).getByRole('combobox', { name: 'Thread' }).click()
  await page.getByRole('option', { name: 'Where it is' }).click()
  await dialog(page).getByRole('checkbox', { name: 'from' }).check()
  await dialog(page).getByRole('button', { name: 'Copy 1 item' }).click()
  await dialog(page)
    .getByText(/^[01] files?, [\d.]+ MB so far$/)
    .waitFor()
  await page.getByText('2 files copied').waitFor({ timeout: 120_000 })
  await row(page, /^from/).dblclick()
  await row(page, /^deep\.txt/).click()
  await viewer(page, 'deep.txt').getByText('deep', { exact: true }).waitFor()
  const { client } = stage.installation
  expect((await client.threads.get(other.id)).sandbox.state).toBe('paused')
  const permissions = async (name: string) =>
    (await client.files.entry(page.threadId, `/home/user/from/${name}`)).permissions
  expect([await permissions('deep.txt'), await permissions('large.bin')]).toEqual(['-rwxr-xr-x', '-rw-r--r--'])
})
