import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, messageField, type PageOptions, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

type FilesPage = Page & AsyncDisposable & { threadId: string }

/** A page on a thread in which a command has run, with the files pane open. */
async function withFiles(command: string, options: PageOptions = {}): Promise<FilesPage> {
  const thread = await stage.installation.newThread()
  await thread.say(`/run ${command}`)
  const page = await stage.open(`/threads/${thread.id}`, options)
  await messageField(page).waitFor()
  await page.keyboard.press('Alt+2')
  await list(page).waitFor()
  return Object.assign(page, { threadId: thread.id, [Symbol.asyncDispose]: () => closePage(page) })
}

/** On a phone a sheet, which is a dialog. */
const pane = (page: Page) =>
  page.getByRole('complementary', { name: 'Files' }).or(page.getByRole('dialog', { name: 'Files', exact: true }))
const list = (page: Page) => pane(page).getByRole('tree', { name: 'Files' })
const row = (page: Page, name: string | RegExp) => list(page).getByRole('treeitem', { name })
const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true })
const viewer = (page: Page, name: string) => pane(page).getByRole('region', { name: `File ${name}` })
const dialog = (page: Page) => page.getByRole('dialog')

describe('the list', () => {
  test('C8: ten thousand files are there at once, and only those in view are drawn', async () => {
    await using page = await withFiles('mkdir ~/many; cd ~/many; seq -f "f%g.txt" 1 10000 | xargs touch')
    await row(page, /^many/).dblclick()
    await pane(page).getByText('10,000 items, 0 bytes').waitFor()
    expect(await list(page).getByRole('treeitem').count()).toBeLessThan(100)
    await list(page).focus()
    await page.keyboard.press('End')
    await row(page, /^f10000\.txt/).waitFor()
    expect(await row(page, /^f10000\.txt/).getAttribute('aria-selected')).toBe('true')
  })

  test('C8: odd names stand on their line, and none can pretend to be another', async () => {
    await using page = await withFiles(`touch $'a\\nb' 'with space' '🙂' $'gpj\\u202eexe.txt'`)
    for (const name of ['a␊b', 'with space', '🙂', 'gpj‹U+202E›exe.txt']) await row(page, name).waitFor()
    const heights = await list(page)
      .getByRole('treeitem')
      .evaluateAll((rows) => rows.map((one) => one.clientHeight))
    expect(new Set(heights)).toEqual(new Set([30]))
  })

  test('C8: by keyboard alone a folder is made, entered, left, renamed and deleted', async () => {
    await using page = await withFiles('mkdir ~/alpha; echo x > ~/alpha/one.txt')
    await row(page, /^alpha/).waitFor()
    await list(page).focus()
    await page.keyboard.press('a')
    await page.keyboard.press('ArrowRight')
    await row(page, /^one\.txt/).waitFor()
    await page.keyboard.press('ArrowRight')
    await list(page).locator('[aria-selected=true][data-path$="one.txt"]').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('F2')
    await dialog(page).getByLabel('Name').fill('beta')
    await page.keyboard.press('Enter')
    // The list is told of the new name by itself, before the dialog has its answer and gives the keys back.
    await dialog(page).waitFor({ state: 'detached' })
    await row(page, /^beta/).waitFor()
    await list(page).locator('[aria-selected=true][data-path$="beta"]').waitFor()
    await list(page).focus()
    await page.keyboard.press('b')
    await page.keyboard.press('Delete')
    await dialog(page).getByText('/home/user/beta and everything in it').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await row(page, /^beta/).waitFor({ state: 'detached' })
  })

  test('G6: a folder is saved as a skill from its menu; one that is none says why in the dialog', async () => {
    const text = '---\\nname: charts\\ndescription: Draws charts.\\n---\\n\\nSteps.\\n'
    await using page = await withFiles(`mkdir ~/charts ~/empty; printf '%b' '${text}' > ~/charts/SKILL.md`)
    const save = async (name: string) => {
      await row(page, name).click()
      await button(page, 'More for the selected entry').click()
      await page.getByRole('menuitem', { name: 'Save as skill…' }).click()
      await dialog(page).getByText(`/home/user/${name} with everything in it.`).waitFor()
      await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
    }
    await save('empty')
    await dialog(page)
      .getByRole('alert')
      .getByText(/^skill\./)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await save('charts')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByText('Skill charts saved').waitFor()
    const { skills } = await stage.installation.client.skills.list()
    expect(skills.map(({ name }) => name)).toEqual(['charts'])
  })

  test('C8: what a command writes appears by itself, and carries the mark of the turn', async () => {
    await using page = await withFiles('echo first > ~/first.txt')
    await send(page, '/run sleep 1; echo new > ~/appears.txt')
    await row(page, /^appears\.txt/).waitFor()
    await answered(page)
    await row(page, /^appears\.txt.*changed/).waitFor()
    await button(page, 'Changed this turn 1').click()
    await pane(page)
      .getByRole('button', { name: /appears\.txt/ })
      .waitFor()
  })
})

describe('several at once', () => {
  test('C8: a range and single ones are selected, by keyboard too, come as one zip, and are moved and deleted', async () => {
    await using page = await withFiles('mkdir ~/box; cd ~; for n in 1 2 3 4; do echo $n > n$n.txt; done')
    await row(page, /^n1\.txt/).click()
    await row(page, /^n3\.txt/).click({ modifiers: ['Shift'] })
    await row(page, /^n2\.txt/).click({ modifiers: ['ControlOrMeta'] })
    await pane(page).getByText('2 selected').waitFor()
    await button(page, 'More for the selected entry').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download zip' }).click(),
    ])
    const zip = (await readFile(await download.path())).toString('latin1')
    expect([zip.includes('n1.txt'), zip.includes('n2.txt'), zip.includes('n3.txt')]).toEqual([true, false, true])

    await button(page, 'More for the selected entry').click()
    await page.getByRole('menuitem', { name: 'Move to…' }).click()
    await dialog(page).getByLabel('Folder to move it to').fill('/home/user/box')
    await page.keyboard.press('Enter')
    await row(page, /^n3\.txt/).waitFor({ state: 'detached' })

    await row(page, /^n2\.txt/).click()
    await list(page).focus()
    await page.keyboard.press('Shift+ArrowDown')
    await pane(page).getByText('2 selected').waitFor()
    await page.keyboard.press('Delete')
    await dialog(page).getByText('n2.txt, n4.txt will be deleted for good').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await row(page, /^n4\.txt/).waitFor({ state: 'detached' })
    const { entries } = await stage.installation.client.files.list(page.threadId, '/home/user/box')
    expect(entries.map(({ name }) => name)).toEqual(['n1.txt', 'n3.txt'])
  })

  test('C8: on a touch screen Select several makes each tap select, and opens nothing', async () => {
    await using page = await withFiles('mkdir ~/box; cd ~; for n in 1 2 3; do echo $n > n$n.txt; done', {
      width: 390,
      height: 844,
      isTouch: true,
    })
    await button(page, 'Select several').tap()
    for (const name of [/^n1\.txt/, /^box/, /^n3\.txt/, /^n1\.txt/, /^n2\.txt/]) await row(page, name).tap()
    await pane(page).getByText('3 selected').waitFor()
    expect(await list(page).locator('[aria-selected=true]').count()).toBe(3)
    await button(page, 'More for the selected entry').tap()
    await page.getByRole('menuitem', { name: 'Delete' }).tap()
    const question = page.getByRole('dialog', { name: 'Delete 3 entries?' })
    await question.getByText('box, n2.txt, n3.txt will be deleted for good').waitFor()
    await question.getByRole('button', { name: 'Delete' }).tap()
    await row(page, /^n3\.txt/).waitFor({ state: 'detached' })
    await button(page, 'Select several').tap()
    await row(page, /^n1\.txt/).tap()
    await viewer(page, 'n1.txt').getByText('1', { exact: true }).waitFor()
  })

  test('C8: what is dragged onto a folder, or onto the way up, moves there and overwrites nothing', async () => {
    await using page = await withFiles(
      'mkdir -p ~/w/box; cd ~/w; echo in > box/taken.txt; echo out > taken.txt; echo x > drag.txt',
    )
    await row(page, /^w/).dblclick()
    await pane(page).getByText('3 items, 6 bytes').waitFor()
    await row(page, /^drag\.txt/).dragTo(row(page, /^box/))
    await row(page, /^drag\.txt/).waitFor({ state: 'detached' })
    await row(page, /^taken\.txt/).dragTo(row(page, /^box/))
    await page.getByText('There is something at /home/user/w/box/taken.txt already.').waitFor()
    await row(page, /^box/).dblclick()
    await row(page, /^drag\.txt/).dragTo(
      pane(page).getByRole('navigation').getByRole('button', { name: 'w', exact: true }),
    )
    await row(page, /^drag\.txt/).waitFor({ state: 'detached' })
    const { entries } = await stage.installation.client.files.list(page.threadId, '/home/user/w')
    expect(entries.map(({ name }) => name)).toEqual(['box', 'drag.txt', 'taken.txt'])
  })

  test('C8: files are copied out of another thread, which sleeps on', async () => {
    const other = await stage.installation.newThread()
    await other.say(
      '/run mkdir ~/from && cd ~/from && echo deep > deep.txt && chmod +x deep.txt && head -c 150M /dev/urandom > large.bin',
    )
    await stage.installation.client.threads.update(other.id, { title: 'Where it is' })
    await stage.installation.client.sandboxes.pause(other.id)
    await using page = await withFiles('echo here > ~/here.txt')
    await button(page, 'New').click()
    await page.getByRole('menuitem', { name: 'Copy from another thread…' }).click()
    await dialog(page).getByRole('combobox', { name: 'Thread' }).click()
    await page.getByRole('option', { name: 'Where it is' }).click()
    await dialog(page).getByRole('checkbox', { name: 'from' }).check()
    await dialog(page).getByRole('button', { name: 'Copy 1 entry' }).click()
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
})

describe('uploads', () => {
  test('C8: files and folders arrive with progress, and nothing is overwritten without a word', async () => {
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
      const read = async (path: string) =>
        await (await stage.installation.client.files.read(page.threadId, path)).text()
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

  test('C8: a folder of a sandbox that sleeps is downloaded as a zip, and it goes on sleeping', async () => {
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
})

describe('looking at files', () => {
  test('C8: separated values are a table, Markdown reads, a page has no rights, bytes are not shown', async () => {
    await using page = await withFiles(
      `printf 'hour,trips\\n00:00,16\\n' > a.csv; printf '# Title\\n' > b.md; head -c 5000 /dev/zero > c.dat; touch e.xls; ` +
        `printf '<h1>page</h1><script>try{parent.document.title}catch(e){document.body.append("no rights")}</script>' > d.html`,
    )
    await row(page, /^a\.csv/).click()
    await viewer(page, 'a.csv').getByRole('columnheader', { name: 'trips' }).waitFor()
    await row(page, /^b\.md/).click()
    await viewer(page, 'b.md').getByRole('heading', { name: 'Title' }).waitFor()
    await row(page, /^c\.dat/).click()
    await viewer(page, 'c.dat').getByText('This file is not text.').waitFor()
    await row(page, /^e\.xls/).click()
    await viewer(page, 'e.xls').getByText('Only workbooks of the newer kind (.xlsx) are shown as a table.').waitFor()
    await viewer(page, 'e.xls').getByText('Download', { exact: true }).waitFor()
    await row(page, /^d\.html/).click()
    await pane(page).frameLocator('iframe[title="d.html"]').getByText('no rights').waitFor()
  })

  test('C8: an edit is saved, and one that meets another’s shows both, is not lost and overwrites nothing', async () => {
    await using page = await withFiles('printf "same\\none\\n" > ~/notes.txt')
    await row(page, /^notes\.txt/).click()
    await button(page, 'Edit').click()
    const field = pane(page).getByRole('textbox', { name: 'Text of notes.txt' })
    await field.fill('same\nmine\n')
    const { files } = stage.installation.client
    const read = async () => await (await files.read(page.threadId, '/home/user/notes.txt')).text()
    await files.write(page.threadId, '/home/user/notes.txt', new TextEncoder().encode('same\ntheirs\n'))
    await pane(page).getByText('The file was changed by somebody else meanwhile.').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await dialog(page).getByText('notes.txt was changed by somebody else').waitFor()
    expect(await dialog(page).locator('.is-own').allInnerTexts()).toEqual([
      expect.stringContaining('mine'),
      expect.stringContaining('theirs'),
    ])
    await dialog(page).getByRole('button', { name: 'Go on editing' }).last().click()
    expect(await field.inputValue()).toBe('same\nmine\n')
    expect(await read()).toBe('same\ntheirs\n')
    await button(page, 'Save').click()
    await dialog(page).getByRole('button', { name: 'Keep mine, overwrite' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await field.waitFor({ state: 'detached' })
    expect(await read()).toBe('same\nmine\n')
  })

  test('C8: a pause in the middle of an edit is nobody else’s change', async () => {
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

  test('C8: a file that is deleted while it is looked at says so', async () => {
    await using page = await withFiles('echo x > ~/short-lived.txt')
    await row(page, /^short-lived\.txt/).click()
    await button(page, 'Edit').waitFor()
    await stage.installation.client.files.delete(page.threadId, '/home/user/short-lived.txt')
    await pane(page).getByText('This file is no longer there.').waitFor()
  })

  test('C8: while the sandbox sleeps its files are read, and it goes on sleeping', async () => {
    await using page = await withFiles('echo asleep > ~/night.txt')
    await stage.installation.client.sandboxes.pause(page.threadId)
    await pane(page).getByText('The sandbox is asleep.').waitFor()
    await row(page, /^night\.txt/).click()
    await viewer(page, 'night.txt').getByText('asleep').waitFor()
    const { sandbox } = await stage.installation.client.threads.get(page.threadId)
    expect(sandbox.state).toBe('paused')
  })

  test('C8: a path in a message opens the file beside it', async () => {
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
