import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, messageField, type PageOptions, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

type GitPage = Page & AsyncDisposable & { threadId: string }

const repository =
  'git config --global user.email somebody@example.com; git config --global user.name Somebody; ' +
  'git init -q -b main ~/work; cd ~/work; echo one > a.txt; echo gone > gone.txt; git add .; git commit -qm first; '

/** A page on a thread in which a command has run, with the git pane open. */
async function withGit(command: string, options: PageOptions = {}): Promise<GitPage> {
  const thread = await stage.installation.newThread()
  await thread.say(`/run ${command}`)
  const page = await stage.open(`/threads/${thread.id}`, options)
  await messageField(page).waitFor()
  await page.keyboard.press('Alt+5')
  await pane(page).waitFor()
  return Object.assign(page, { threadId: thread.id, [Symbol.asyncDispose]: () => closePage(page) })
}

/** On a phone it is a sheet, which is a dialog. */
const pane = (page: Page) =>
  page.getByRole('complementary', { name: 'Git' }).or(page.getByRole('dialog', { name: 'Git', exact: true }))
const file = (page: Page, name: string | RegExp) =>
  pane(page).getByRole('list', { name: 'Changed files' }).getByRole('button', { name })
const viewer = (page: Page, name: string) => pane(page).getByRole('region', { name: `Changes in ${name}` })
const difference = (page: Page) => pane(page).getByRole('region', { name: 'Changes', exact: true })

test('a new repository is listed when the response has ended, and its diff follows changes', async () => {
  await using page = await withGit('echo nothing yet')
  await pane(page).getByText('No Git repository in /home/user.').waitFor()
  await send(page, `/run ${repository} echo two >> a.txt; rm gone.txt; echo new > "with space.txt"`)
  await answered(page)
  await pane(page).getByText('3 changed files').waitFor()
  await pane(page).getByText('main', { exact: true }).waitFor()
  await file(page, /modified\s*a\.txt/).click()
  await difference(page).getByText('two', { exact: true }).waitFor()
  await send(page, '/run echo three >> ~/work/a.txt')
  await difference(page).getByText('three', { exact: true }).waitFor()
  await pane(page).getByText('+2').first().waitFor()
})

test('by keyboard alone, files are selected, compared, and opened in Files', async () => {
  await using page = await withGit(`${repository} echo two > a.txt; rm gone.txt; head -c 5000 /dev/urandom > z.bin`)
  await file(page, 'a.txt').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await viewer(page, 'z.bin').getByText('Binary file: contents differ.').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await difference(page).getByText('gone', { exact: true }).waitFor()
  expect(await viewer(page, 'gone.txt').getByRole('button', { name: 'Open in Files' }).count()).toBe(0)
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await viewer(page, 'a.txt').getByRole('button', { name: 'Open in Files' }).press('Enter')
  await page
    .getByRole('complementary', { name: 'Files' })
    .getByRole('region', { name: 'File a.txt' })
    .getByText('two', { exact: true })
    .waitFor()
})

test('a change of 20,000 lines appears immediately, draws only the lines in view, and says what is missing', async () => {
  await using page = await withGit(
    `${repository} seq 1 20000 | sed s/^/before/ > lines; git add .; git commit -qm lines; seq 1 20000 | sed s/^/after/ > lines`,
  )
  await file(page, 'lines').click()
  await difference(page).getByText('before1', { exact: true }).waitFor()
  await viewer(page, 'lines').getByText('Truncated: 19,999 of 40,000 changed lines are shown.').waitFor()
  expect(await difference(page).locator('.dl').count()).toBeLessThan(150)
  await difference(page).focus()
  await page.keyboard.press('End')
  await difference(page).getByText('before19999', { exact: true }).waitFor()
})

test('names and lines show hidden characters, and none can pretend to be another', async () => {
  await using page = await withGit(
    `${repository} echo x > $'a\\nb\\e[31m'; printf 'if (admin\\xe2\\x80\\xae) {\\e[2J\\n' > $'gpj\\u202eexe.txt'`,
    { width: 390, height: 844, isTouch: true },
  )
  await file(page, 'a␊b␛[31m').waitFor()
  await file(page, 'gpj‹U+202E›exe.txt').tap()
  await difference(page).getByText('if (admin‹U+202E›) {␛[2J').waitFor()
})

test('another repository is chosen, and a sleeping sandbox stays asleep until a person wakes it', async () => {
  await using page = await withGit(
    `${repository} echo two > a.txt; git init -q -b other ~/second; echo x > ~/second/only.txt`,
  )
  await pane(page).getByRole('combobox', { name: 'Repository' }).click()
  await page.getByRole('option', { name: '~/work' }).click()
  await file(page, 'a.txt').waitFor()
  await pane(page).getByRole('combobox', { name: 'Repository' }).click()
  await page.getByRole('option', { name: '~/second' }).click()
  await file(page, 'only.txt').waitFor()
  const { sandboxes, threads } = stage.installation.client
  await sandboxes.pause(page.threadId)
  await pane(page).getByText('The sandbox is asleep. Wake it to see its repositories.').waitFor()
  await file(page, 'only.txt').waitFor()
  expect((await threads.get(page.threadId)).sandbox.state).toBe('paused')
  await pane(page).getByRole('button', { name: 'Wake' }).click()
  await pane(page).getByText('The sandbox is asleep.').waitFor({ state: 'detached' })
  await file(page, 'only.txt').click()
  await difference(page).getByText('x', { exact: true }).waitFor()
})
