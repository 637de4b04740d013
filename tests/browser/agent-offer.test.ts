import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleWheel } from '../stack/example-wheel.ts'
import { answered, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** The offer of a thread to save an agent after repeated installations of the same package. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('C13: the third thread that installs a package offers once to be saved as an agent, and declining is permanent', async () => {
  const file = '/tmp/threadbox_example-1.0-py3-none-any.whl'
  const install = `pip install --no-index ${file}`
  const script = `cat > /tmp/wheel.py <<'END'\n${exampleWheel}\nEND\npython3 /tmp/wheel.py`
  const { client, newThread } = stage.installation
  const threads = [await newThread(), await newThread(), await newThread(), await newThread()]
  await Promise.all(threads.slice(0, 2).map((thread) => thread.say(`/run ${script} && ${install}`)))
  const [, , third, fourth] = threads
  await third?.say(`/run ${script}`)
  const page = await stage.open(`/threads/${third?.id}`)
  const offer = page.getByRole('region', { name: 'Save this thread as an agent?' })
  await send(page, `/run ${install}`)
  await answered(page)
  await offer.getByText('threadbox-example').waitFor()
  await page.reload()
  await offer.getByRole('button', { name: 'Save as agent…' }).press('Enter')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor()
  await offer.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.reload()
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  expect(await client.agents.offer(third?.id ?? '')).toEqual({ packages: [] })
  expect(await offer.count()).toBe(0)
  await fourth?.say(`/run ${script} && ${install}`)
  expect(await client.agents.offer(fourth?.id ?? '')).toEqual({ packages: [] })
  await closePage(page)
})
