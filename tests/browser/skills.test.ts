import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@threadbox/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

let app: AppWithoutHost
let page: Page
let directory: string
beforeAll(async () => {
  app = await startAppWithoutHost()
  directory = await mkdtemp(join(tmpdir(), 'threadbox-skills-'))
  page = await app.page({ signedIn: true })
  await page.goto(`${app.server.origin}/settings/skills`)
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  if (directory !== undefined) await rm(directory, { recursive: true })
})

const client = () => createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
const skillText = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nSteps.\n`
const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
const group = (name: string) => page.getByRole('region', { name, exact: true })
const choose = async (name: string, item: string) => {
  await row(name)
    .getByRole('button', { name: `More actions for skill ${name}` })
    .press('Enter')
  await page.getByRole('menuitem', { name: item }).press('Enter')
}

test('G6: an invalid skill is rejected in the dialog with its reason, and the text stays', async () => {
  await page.getByText('No skills yet.').waitFor()
  await page.getByRole('button', { name: 'Write a skill' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Write a skill' })
  const text = dialog.getByRole('textbox', { name: 'SKILL.md' })
  expect(await page.locator('textarea:focus').count()).toBe(1)
  await text.fill(skillText('Weekly Report', 'Writes it.'))
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.getByRole('alert').getByText('skill.name-invalid').waitFor()
  expect(await text.inputValue()).toContain('Weekly Report')
  await text.fill(skillText('weekly-report', 'Writes the weekly report.'))
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await group('All my threads').getByText('Writes the weekly report.').waitFor()
})

test('G6: a folder and a file are uploaded; a broken one is rejected on the page with its reason', async () => {
  const folder = join(directory, 'charts')
  await mkdir(join(folder, 'scripts'), { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), skillText('charts', 'Draws charts.'))
  await writeFile(join(folder, 'scripts/draw.py'), '#!/usr/bin/env python3\n')
  await page.locator('input[data-skill-input=folder]').setInputFiles(folder)
  await row('charts').getByText('2 files').waitFor()
  const broken = join(directory, 'broken.zip')
  await writeFile(broken, 'not a zip')
  await page.locator('input[data-skill-input=file]').setInputFiles(broken)
  await page.getByRole('alert').getByText('skill.archive-invalid').waitFor()
  const alone = join(directory, 'SKILL.md')
  await writeFile(alone, skillText('tables', 'Makes tables.'))
  await page.locator('input[data-skill-input=file]').setInputFiles(alone)
  await row('tables').getByText('Makes tables.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('G6: a skill is edited without losing its other files, and opens with its current text in another tab', async () => {
  const second = await page.context().newPage()
  await second.goto(`${app.server.origin}/settings/skills`)
  await second.getByText('Draws charts.').waitFor()
  await page.getByRole('button', { name: 'Edit charts' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit charts' })
  await dialog.getByText('scripts/draw.py').waitFor()
  await dialog.getByRole('textbox', { name: 'SKILL.md' }).fill(skillText('charts', 'Draws charts in colour.'))
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await second.getByText('Draws charts in colour.').waitFor()
  await second.close()
  const { skills } = await client().skills.list()
  expect(skills.find(({ name }) => name === 'charts')).toMatchObject({ fileCount: 2 })
})

test('G6: a skill that changed since it was opened is not replaced without confirmation; both texts stay available', async () => {
  const { skills } = await client().skills.list()
  const id = skills.find(({ name }) => name === 'tables')?.id ?? ''
  const textNow = async () => (await client().skills.get(id)).text
  await page.getByRole('button', { name: 'Edit tables' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit tables' })
  const text = dialog.getByRole('textbox', { name: 'SKILL.md' })
  await text.fill(skillText('tables', 'Mine.'))
  await client().skills.replace(id, skillText('tables', 'Theirs.'))
  await page.getByText('Theirs.', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter')
  await dialog.getByRole('alert').getByText('skill.changed').waitFor()
  expect(await text.inputValue()).toContain('Mine.')
  expect(await textNow()).toContain('Theirs.')
  await dialog.getByRole('button', { name: 'Discard mine and load the new version' }).press('Enter')
  await expect.poll(() => text.inputValue()).toContain('Theirs.')
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await text.fill(skillText('tables', 'Mine again.'))
  await client().skills.replace(id, skillText('tables', 'Theirs again.'))
  await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter')
  await dialog.getByRole('alert').getByText('skill.changed').waitFor()
  await page.route(`**/skills/${id}`, (route) => route.abort(), { times: 1 })
  await dialog.getByRole('button', { name: 'Overwrite with mine' }).press('Enter')
  await dialog.getByRole('alert').getByText('server.unreachable').waitFor()
  expect(await textNow()).toContain('Theirs again.')
  await dialog.getByRole('button', { name: 'Overwrite with mine' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await textNow()).toContain('Mine again.')
})

test('C12: a skill is moved into a workspace and listed there', async () => {
  const workspace = await client().workspaces.create({ name: 'Data' })
  await choose('charts', 'Change where it’s available…')
  const dialog = page.getByRole('dialog', { name: 'Where charts is available' })
  await dialog.getByRole('combobox', { name: 'Available in' }).press('Enter')
  await page.getByRole('option', { name: 'Threads in Data' }).press('Enter')
  await dialog.getByRole('button', { name: 'Change' }).press('Enter')
  await group('Data').getByText('charts', { exact: true }).waitFor()
  const { skills } = await client().skills.list()
  expect(skills.find(({ name }) => name === 'charts')?.workspaceId).toBe(workspace.id)
})

test('G6: a skill is deleted after a confirmation in which Cancel has the focus', async () => {
  await choose('tables', 'Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete skill tables?' })
  await dialog.locator('button:focus', { hasText: 'Cancel' }).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
  await row('tables').waitFor({ state: 'detached' })
  const names = async () => (await client().skills.list()).skills.map(({ name }) => name)
  await expect.poll(names).toEqual(['charts', 'weekly-report'])
})

test('G6: in a German browser the page is German, including its errors', async () => {
  const german = await app.page({ signedIn: true, locale: 'de-DE' })
  await german.goto(`${app.server.origin}/settings/skills`)
  await german.getByRole('button', { name: 'Skill schreiben' }).press('Enter')
  const dialog = german.getByRole('dialog', { name: 'Skill schreiben' })
  await dialog.getByRole('textbox', { name: 'SKILL.md' }).fill(skillText('weekly-report', 'Doppelt.'))
  await dialog.getByRole('button', { name: 'Speichern' }).press('Enter')
  await dialog.getByRole('alert').getByText('Einen Skill namens weekly-report gibt es hier schon.').waitFor()
  await german.context().close()
})
