import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, type PageOptions, send } from './app-in-browser.ts'
import { button, dialog, list, openFiles, pane, row, viewer } from './files-pane/files-page.ts'
import { type BrowserStage, startBrowserStage } from './harness.ts'

/** The files pane as a list: navigating, selecting, and changing files. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())
const withFiles = (command: string, options?: PageOptions) => openFiles(stage, command, options)

describe('the list', () => {
  test('C8: ten thousand files appear immediately, and only those in view are drawn', async () => {
    await using page = await withFiles('mkdir ~/many; cd ~/many; seq -f "f%g.txt" 1 10000 | xargs touch')
    await row(page, /^many/).dblclick()
    await pane(page).getByText('10,000 items, 0 bytes').waitFor()
    expect(await list(page).getByRole('treeitem').count()).toBeLessThan(100)
    await list(page).focus()
    await page.keyboard.press('End')
    await row(page, /^f10000\.txt/).waitFor()
    expect(await row(page, /^f10000\.txt/).getAttribute('aria-selected')).toBe('true')
  })

  test('C8: unusual names stay on their line, and none can pretend to be another', async () => {
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
    // The list gets the new name from an event, before the dialog gets its response and returns the focus.
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

  test('G6: a folder is saved as a skill from its menu; an invalid one says why in the dialog', async () => {
    const text = '---\\nname: charts\\ndescription: Draws charts.\\n---\\n\\nSteps.\\n'
    await using page = await withFiles(`mkdir ~/charts ~/empty; printf '%b' '${text}' > ~/charts/SKILL.md`)
    const save = async (name: string) => {
      await row(page, name).click()
      await button(page, 'More actions for the selection').click()
      await page.getByRole('menuitem', { name: 'Save as skill…' }).click()
      await dialog(page).getByText(`/home/user/${name} and everything in it.`).waitFor()
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

  test('C8: a file that a command writes appears automatically, with the mark of its turn', async () => {
    await using page = await withFiles('echo first > ~/first.txt')
    await send(page, '/run sleep 1; echo new > ~/appears.txt')
    await row(page, /^appears\.txt/).waitFor()
    await answered(page)
    await row(page, /^appears\.txt.*changed/).waitFor()
    await button(page, 'Changed last turn 1').click()
    await pane(page)
      .getByRole('button', { name: /appears\.txt/ })
      .waitFor()
  })
})

describe('multiple selected files', () => {
  test('C8: a range and single files are selected, by keyboard too, downloaded as one zip, moved and deleted', async () => {
    await using page = await withFiles('mkdir ~/box; cd ~; for n in 1 2 3 4; do echo $n > n$n.txt; done')
    await row(page, /^n1\.txt/).click()
    await row(page, /^n3\.txt/).click({ modifiers: ['Shift'] })
    await row(page, /^n2\.txt/).click({ modifiers: ['ControlOrMeta'] })
    await pane(page).getByText('2 selected').waitFor()
    await button(page, 'More actions for the selection').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download zip' }).click(),
    ])
    const zip = (await readFile(await download.path())).toString('latin1')
    expect([zip.includes('n1.txt'), zip.includes('n2.txt'), zip.includes('n3.txt')]).toEqual([true, false, true])

    await button(page, 'More actions for the selection').click()
    await page.getByRole('menuitem', { name: 'Move to…' }).click()
    await dialog(page).getByLabel('Move to folder').fill('/home/user/box')
    await page.keyboard.press('Enter')
    await row(page, /^n3\.txt/).waitFor({ state: 'detached' })

    await row(page, /^n2\.txt/).click()
    await list(page).focus()
    await page.keyboard.press('Shift+ArrowDown')
    await pane(page).getByText('2 selected').waitFor()
    await page.keyboard.press('Delete')
    await dialog(page).getByText('n2.txt, n4.txt will be permanently deleted').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await row(page, /^n4\.txt/).waitFor({ state: 'detached' })
    const { entries } = await stage.installation.client.files.list(page.threadId, '/home/user/box')
    expect(entries.map(({ name }) => name)).toEqual(['n1.txt', 'n3.txt'])
  })

  test('C8: on a touch screen Select multiple makes each tap select, and opens nothing', async () => {
    await using page = await withFiles('mkdir ~/box; cd ~; for n in 1 2 3; do echo $n > n$n.txt; done', {
      width: 390,
      height: 844,
      isTouch: true,
    })
    await button(page, 'Select multiple').tap()
    for (const name of [/^n1\.txt/, /^box/, /^n3\.txt/, /^n1\.txt/, /^n2\.txt/]) await row(page, name).tap()
    await pane(page).getByText('3 selected').waitFor()
    expect(await list(page).locator('[aria-selected=true]').count()).toBe(3)
    await button(page, 'More actions for the selection').tap()
    await page.getByRole('menuitem', { name: 'Delete' }).tap()
    const question = page.getByRole('dialog', { name: 'Delete 3 items?' })
    await question.getByText('box, n2.txt, n3.txt will be permanently deleted').waitFor()
    await question.getByRole('button', { name: 'Delete' }).tap()
    await row(page, /^n3\.txt/).waitFor({ state: 'detached' })
    await button(page, 'Select multiple').tap()
    await row(page, /^n1\.txt/).tap()
    await viewer(page, 'n1.txt').getByText('1', { exact: true }).waitFor()
  })

  test('C8: a file dragged onto a folder, or onto the parent folder, moves there and overwrites nothing', async () => {
    await using page = await withFiles(
      'mkdir -p ~/w/box; cd ~/w; echo in > box/taken.txt; echo out > taken.txt; echo x > drag.txt',
    )
    await row(page, /^w/).dblclick()
    await pane(page).getByText('3 items, 6 bytes').waitFor()
    await row(page, /^drag\.txt/).dragTo(row(page, /^box/))
    await row(page, /^drag\.txt/).waitFor({ state: 'detached' })
    await row(page, /^taken\.txt/).dragTo(row(page, /^box/))
    await page.getByText('/home/user/w/box/taken.txt already exists.').waitFor()
    await row(page, /^box/).dblclick()
    await row(page, /^drag\.txt/).dragTo(
      pane(page).getByRole('navigation').getByRole('button', { name: 'w', exact: true }),
    )
    await row(page, /^drag\.txt/).waitFor({ state: 'detached' })
    const { entries } = await stage.installation.client.files.list(page.threadId, '/home/user/w')
    expect(entries.map(({ name }) => name)).toEqual(['box', 'drag.txt', 'taken.txt'])
  })
})
