import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, type PageOptions, send } from './app-in-browser.ts'
import { button, dialog, openFiles, pane, row, viewer } from './files-pane/files-page.ts'
import { type BrowserStage, startBrowserStage } from './harness.ts'

/** How the files pane shows a file, and edits it. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())
const withFiles = (command: string, options?: PageOptions) => openFiles(stage, command, options)

describe('viewing files', () => {
  test('C8: separated values are a table, Markdown is rendered, a page has no permissions, binary data is not shown', async () => {
    await using page = await withFiles(
      `printf 'hour,trips\\n00:00,16\\n' > a.csv; printf '# Title\\n' > b.md; head -c 5000 /dev/zero > c.dat; touch e.xls; ` +
        `printf '<h1>page</h1><script>try{parent.document.title}catch(e){document.body.append("no rights")}</script>' > d.html`,
    )
    await row(page, /^a\.csv/).click()
    await viewer(page, 'a.csv').getByRole('columnheader', { name: 'trips' }).waitFor()
    await row(page, /^b\.md/).click()
    await viewer(page, 'b.md').getByRole('heading', { name: 'Title' }).waitFor()
    await row(page, /^c\.dat/).click()
    await viewer(page, 'c.dat').getByText('This isn’t a text file.').waitFor()
    await row(page, /^e\.xls/).click()
    await viewer(page, 'e.xls').getByText('Only .xlsx workbooks can be previewed.').waitFor()
    await viewer(page, 'e.xls').getByText('Download', { exact: true }).waitFor()
    await row(page, /^d\.html/).click()
    await pane(page).frameLocator('iframe[title="d.html"]').getByText('no rights').waitFor()
  })

  test('C8: an edit is saved; a conflicting one shows both versions, is not lost and overwrites nothing', async () => {
    await using page = await withFiles('printf "same\\none\\n" > ~/notes.txt')
    await row(page, /^notes\.txt/).click()
    await button(page, 'Edit').click()
    const field = pane(page).getByRole('textbox', { name: 'Text of notes.txt' })
    await field.fill('same\nmine\n')
    const { files } = stage.installation.client
    const read = async () => await (await files.read(page.threadId, '/home/user/notes.txt')).text()
    await files.write(page.threadId, '/home/user/notes.txt', new TextEncoder().encode('same\ntheirs\n'))
    await pane(page).getByText('This file changed since you opened it.').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await dialog(page).getByText('notes.txt changed since you opened it').waitFor()
    expect(await dialog(page).locator('.is-own').allInnerTexts()).toEqual([
      expect.stringContaining('mine'),
      expect.stringContaining('theirs'),
    ])
    await dialog(page).getByRole('button', { name: 'Keep editing' }).last().click()
    expect(await field.inputValue()).toBe('same\nmine\n')
    expect(await read()).toBe('same\ntheirs\n')
    await button(page, 'Save').click()
    await dialog(page).getByRole('button', { name: 'Overwrite with mine' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await field.waitFor({ state: 'detached' })
    expect(await read()).toBe('same\nmine\n')
  })

  test('C8: a pause during an edit is not reported as another change', async () => {
    await using page = await withFiles('echo one > ~/notes.txt')
    await row(page, /^notes\.txt/).click()
    await button(page, 'Edit').click()
    const field = pane(page).getByRole('textbox', { name: 'Text of notes.txt' })
    await field.fill('mine\n')
    await stage.installation.client.sandboxes.pause(page.threadId)
    await pane(page).getByText('The sandbox is asleep.').waitFor()
    await button(page, 'Save').click()
    await field.waitFor({ state: 'detached' })
    const { files } = stage.installation.client
    expect(await (await files.read(page.threadId, '/home/user/notes.txt')).text()).toBe('mine\n')
  })

  test('C8: a file that is deleted while it is open says so', async () => {
    await using page = await withFiles('echo x > ~/short-lived.txt')
    await row(page, /^short-lived\.txt/).click()
    await button(page, 'Edit').waitFor()
    await stage.installation.client.files.delete(page.threadId, '/home/user/short-lived.txt')
    await pane(page).getByText('This file no longer exists.').waitFor()
  })

  test('C8: while the sandbox sleeps its files are read, and it stays asleep', async () => {
    await using page = await withFiles('echo asleep > ~/night.txt')
    await stage.installation.client.sandboxes.pause(page.threadId)
    await pane(page).getByText('The sandbox is asleep.').waitFor()
    await row(page, /^night\.txt/).click()
    await viewer(page, 'night.txt').getByText('asleep').waitFor()
    const { sandbox } = await stage.installation.client.threads.get(page.threadId)
    expect(sandbox.state).toBe('paused')
  })

  test('C8: a path in a message opens the file next to it', async () => {
    await using page = await withFiles('echo linked > ~/linked.txt')
    await page.keyboard.press('Alt+2')
    await pane(page).waitFor({ state: 'detached' })
    await stage.connectModel()
    stage.models.reply({ text: 'It is in `/home/user/linked.txt`.' })
    await send(page, 'Where is it?')
    await answered(page)
    await page.getByRole('log').locator('a.path-link').last().click()
    await viewer(page, 'linked.txt').getByText('linked').waitFor()
  })
})
