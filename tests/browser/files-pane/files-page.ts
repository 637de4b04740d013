import type { Page } from 'playwright-core'
import { messageField, type PageOptions } from '../app-in-browser.ts'
import { type BrowserStage, closePage } from '../harness.ts'

export type FilesPage = Page & AsyncDisposable & { threadId: string }

/** A page on a new thread in which a command has run, with the files pane open. */
export async function openFiles(stage: BrowserStage, command: string, options: PageOptions = {}): Promise<FilesPage> {
  const thread = await stage.installation.newThread()
  await thread.say(`/run ${command}`)
  const page = await stage.open(`/threads/${thread.id}`, options)
  await messageField(page).waitFor()
  await page.keyboard.press('Alt+2')
  await list(page).waitFor()
  return Object.assign(page, { threadId: thread.id, [Symbol.asyncDispose]: () => closePage(page) })
}

/** On a phone it is a sheet, which is a dialog. */
export const pane = (page: Page) =>
  page.getByRole('complementary', { name: 'Files' }).or(page.getByRole('dialog', { name: 'Files', exact: true }))
export const list = (page: Page) => pane(page).getByRole('tree', { name: 'Files' })
export const row = (page: Page, name: string | RegExp) => list(page).getByRole('treeitem', { name })
export const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true })
export const viewer = (page: Page, name: string) => pane(page).getByRole('region', { name: `File ${name}` })
export const dialog = (page: Page) => page.getByRole('dialog')
