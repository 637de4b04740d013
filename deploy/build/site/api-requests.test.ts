import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCommonObjects, preparations, skillText, type Variables } from './page-objects.test-utils.ts'
import { type PageServer, startPageServer } from './page-server.test-utils.ts'
import { type BlockResult, type PageShell, startPageShell, timeUp } from './page-shell.test-utils.ts'
import { otherSenders } from './people-objects.test-utils.ts'

/** Runs every request of the site’s developer pages in a real bash, with the real curl and jq, against a real server. */

type Block = { route: string | undefined; text: string; expected: number[] }

const pages = join(import.meta.dirname, '../../../docs-site/src/content/docs/build')
const readPage = (name: string) => readFileSync(join(pages, name), 'utf8')

/** The `sh` blocks of a page, each with the route and the response that its section describes. */
function blocksOf(page: string): Block[] {
  return page.split(/^(?=#{2,3} )/m).flatMap((section) => {
    const route = /^### `(\S+ \S+)`/.exec(section)?.[1]
    const expected = /^Response: (.*)$/m.exec(section)?.[1] ?? ''
    const statuses = [...expected.matchAll(/(?:^|Or )`(\d+)`/g)].map(([, status]) => Number(status))
    return [...section.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, text = '']) => ({ route, text, expected: statuses }))
  })
}

const blocks = blocksOf(readPage('api.md'))
const preparing = blocks.filter(({ route }) => route === undefined)
/** These come first, because all others use what they make. */
const first = ['POST /auth/sign-up', 'POST /auth/sign-in', 'POST /api-keys']
/** These end sessions, so they come last, in this order. */
const last = ['DELETE /auth/sessions/{sessionId}', 'POST /auth/password', 'POST /auth/sign-out']
const atRoute = (route: string) => blocks.filter((block) => block.route === route)
const between = blocks.filter(({ route = '' }) => route !== '' && ![...first, ...last].includes(route))
const rest = [...between, ...last.flatMap(atRoute)].map((block) => ({ ...block, route: block.route ?? '' }))

let server: PageServer
let shell: PageShell
let common: Variables
beforeAll(async () => {
  server = await startPageServer()
  shell = await startPageShell(server.directory)
  // The address is the installation’s own; everything else stays.
  const [definitions, example] = preparing.map(({ text }) =>
    text.replace('http://127.0.0.1:7717', server.server.loopbackOrigin),
  )
  await run(definitions ?? '')
  await define({ token: server.token })
  let made = ''
  for (const block of first.flatMap(atRoute)) {
    const ran = await run(block.text)
    check(ran, block)
    made = ran.output
  }
  const { secret } = JSON.parse(made) as { secret: string }
  server.useKey(secret)
  await define({ THREADBOX_API_KEY: secret })
  expect(await run(example ?? '')).toMatchObject({
    exitCode: 0,
    statuses: [201, 202, 200],
    output: expect.stringContaining('"kind": "user-message"'),
  })
  common = await makeCommonObjects(server)
  for (const name of ['sales.csv', 'notes.txt']) await writeFile(join(shell.folder, name), 'a,b\n1,2\n')
  await writeFile(join(shell.folder, 'SKILL.md'), skillText('weather'))
})
afterAll(async () => {
  await shell?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

const isStream = (text: string) => / -N | --http1.1 /.test(text)
const run = (text: string) => shell.run(text, isStream(text) ? { seconds: 0.5 } : {})
const define = (values: Variables) =>
  shell.run(
    Object.entries(values)
      .map(([name, value]) => `export ${name}='${value}'`)
      .join('\n'),
  )

function check(ran: BlockResult, { text, expected }: Pick<Block, 'text' | 'expected'>): void {
  const said = `${text}\n${ran.errors}${ran.output.slice(0, 2000)}`
  expect(ran.statuses, said).toHaveLength(1)
  expect(expected, said).toContain(ran.statuses[0])
  // A stream continues until its reader ends it.
  expect(ran.exitCode, said).toBe(isStream(text) ? timeUp : 0)
}

describe('a request on the page of the API, run as it is written, has the response that the page names', () => {
  it.each(rest)('$route', async ({ route, ...block }) => {
    const own = await preparations[route]?.(server, common)
    await define({ ...common, ...own })
    const sender = otherSenders[route]
    if (sender === undefined) return check(await run(block.text), block)
    const by = await sender.signIn(server)
    await run(`mv cookies reader-cookies\nsession "$url/auth/sign-in" --json '${JSON.stringify(by)}'`)
    check(await run(block.text), block)
    await run('mv reader-cookies cookies')
    await sender.after?.(server, by)
  })
})

it('every route of the page has a request, and everything prepared is for one', () => {
  const routes = rest.map(({ route }) => route)
  expect(routes.length).toBeGreaterThan(150)
  expect(new Set(routes).size).toBe(routes.length)
  expect(Object.keys(preparations).filter((route) => !routes.includes(route))).toEqual([])
})

it('the pages of events and of the SDK have no other shell than requests that stream', async () => {
  const others = ['events.md', 'sdk.md'].flatMap((name) => blocksOf(readPage(name)))
  expect(others).toHaveLength(2)
  await define(common)
  for (const { text } of others) check(await run(text), { text, expected: [200] })
})
