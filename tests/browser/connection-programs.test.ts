import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from './app-in-browser.ts'
import { type BrowserStage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
  await stage.connectModel()
})
afterAll(() => stage[Symbol.asyncDispose]())

/** A server with one tool that returns one of its environment variables. */
const program = `
import json, os, sys
def send(**value): print(json.dumps({'jsonrpc': '2.0', **value}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method, id = asked.get('method'), asked.get('id')
    if method == 'initialize':
        send(id=id, result={'protocolVersion': asked['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'ledger', 'version': '3'}})
    elif method == 'tools/list': send(id=id, result={'tools': [{'name': 'balance', 'description': 'Reads the balance.', 'inputSchema': {'type': 'object'}}]})
    elif method == 'tools/call': send(id=id, result={'content': [{'type': 'text', 'text': os.environ['CURRENCY'] + ' 12, with a key of ' + str(len(os.environ['LEDGER_KEY']))}]})
    elif id is not None: send(id=id, error={'code': -32601, 'message': 'no'})
`.replaceAll('\n', '\\n')
// One argument is one line of the form, so the program is one line too.
const oneLine = `exec("""${program.replaceAll('"', "'")}""")`

const row = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Ledger' }).first()
const pollOptions = { timeout: 60_000 }

test('G9: a program is added by command, arguments and variables, says why it does not start, and is called once it is allowed', async () => {
  const page = await stage.open('/settings/connections')
  await page.getByRole('button', { name: 'Add a connection' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Ledger')
  await dialog.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Local program' }).click()
  await dialog.getByRole('textbox', { name: 'Command' }).fill('python3 -c')
  await dialog.getByRole('button', { name: 'Save and test' }).click()
  await dialog.getByText('Enter only the command.').waitFor()
  await dialog.getByRole('textbox', { name: 'Command' }).fill('python-three')
  await dialog.getByRole('textbox', { name: 'Arguments' }).fill(`-c\n${oneLine}`)
  await dialog.getByRole('button', { name: 'Add a variable' }).click()
  await dialog.getByRole('textbox', { name: 'Variable name' }).fill('CURRENCY')
  await dialog.getByRole('switch', { name: 'CURRENCY is secret' }).click()
  await dialog.getByRole('textbox', { name: 'Value of CURRENCY' }).fill('EUR')
  await dialog.getByRole('button', { name: 'Save and test' }).click()
  await row(page).getByText('Starting').first().waitFor()
  await row(page).getByText('Couldn’t start python-three').waitFor(pollOptions)
  await row(page).getByText('connection.program-not-started').waitFor()

  await row(page).getByRole('button', { name: 'Edit Ledger' }).click()
  await dialog.getByRole('textbox', { name: 'Command' }).fill('python3')
  await dialog.getByRole('button', { name: 'Add a variable' }).click()
  await dialog.getByRole('textbox', { name: 'Variable name' }).nth(1).fill('LEDGER_KEY')
  await dialog.getByLabel('Value of LEDGER_KEY', { exact: true }).fill('key-of-the-ledger')
  await dialog.getByRole('button', { name: 'Save and test' }).click()
  await row(page).getByText('Connected', { exact: true }).waitFor(pollOptions)
  await row(page).getByText('1 secret saved').waitFor()
  expect(await page.content()).not.toContain('key-of-the-ledger')
  // Only the name changes: the secret stays.
  await row(page).getByRole('button', { name: 'Edit Ledger' }).click()
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Ledger of the club')
  await dialog.getByRole('button', { name: 'Save and test' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row(page).getByText('Connected', { exact: true }).waitFor()

  const call = { calls: [{ name: 'ledger-of-the-club__balance', input: {} }] }
  stage.models.reply(call, { text: 'There are 12 euros.' })
  await page.goto(new URL('/threads/new', page.url()).href)
  await send(page, 'How much is there?')
  const question = page.getByRole('region', { name: 'Allow the agent to call balance on Ledger of the club?' })
  await question.getByRole('button', { name: 'Always allow' }).click()
  await page.getByText('There are 12 euros.').waitFor(pollOptions)
  expect(JSON.stringify(stage.models.requests.at(-1))).toContain('EUR 12, with a key of 17')
}, 180_000)

test('G9: the texts for programs are German in a German browser', async () => {
  const page = await stage.open('/settings/connections', { locale: 'de-DE' })
  await row(page).getByText('1 Geheimnis gespeichert').waitFor()
  await row(page).getByRole('button', { name: 'Ledger of the club ändern' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Argumente' }).fill('-V')
  await dialog.getByRole('button', { name: 'Speichern und testen' }).click()
  await dialog.getByText('Geben Sie dieses Geheimnis noch einmal ein').waitFor()
})
