import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent, Secret } from '@threadbox/protocol/public'
import { makeLogger } from '@threadbox/telemetry'
import { type ModelServer, startModelServer, wholeText } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'
import { type EgressStandIn, startEgressStandIn } from './egress.test-utils.ts'

const value = 'canary-of-a-secret-9f31'
/** The forms in which a value could be somewhere. */
const forms = [
  value,
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
  Buffer.from(value).toString('hex'),
  encodeURIComponent(value),
]

let directory: string
let egress: EgressStandIn
let model: ModelServer
let bench: LifecycleBench
const lines: string[] = []
const responses: string[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-canary-'))
  egress = await startEgressStandIn(directory)
  model = await startModelServer()
  const logger = makeLogger({
    process: 'server',
    level: 'trace',
    destination: { write: (line) => void lines.push(line) },
  })
  bench = await makeLifecycleBench({ egressSocket: egress.socketPath, logger })
  await bench.start()
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await model.close()
  await egress[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function request<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await bench.server.call(method, `/api/v1${path}`, { body, person: bench.owner })
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  if (method === 'GET') expect(response.status, path).toBe(200)
  responses.push(text)
  return (text.startsWith('{') ? JSON.parse(text) : undefined) as Body
}

async function say(text: string): Promise<void> {
  await request('POST', `/threads/${bench.threadId}/messages`, { text, key: `key-of-${text.padEnd(12, '-')}` })
  await bench.server.areas.turns.turns.settled(bench.threadId)
}

/** Every row of every table, as text. */
async function databaseText(): Promise<string> {
  const { database } = bench.server.open
  const tables = await database.introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) =>
      database
        .selectFrom(name as never)
        .selectAll()
        .execute(),
    ),
  )
  return JSON.stringify(rows)
}

async function filesText(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}

/** The places in which a form of the value is. */
const placesWith = (places: Record<string, string>) =>
  Object.entries(places)
    .filter(([, text]) => forms.some((form) => text.includes(form)))
    .map(([name]) => name)

test('C11: the value of a secret is at the broker, and in no response, log, row, file, export, agent or model request', async () => {
  await request('POST', '/models', {
    provider: 'openai-compatible',
    model: 'test-model',
    baseUrl: model.baseUrls['openai-compatible'],
    apiKey: 'key',
    contextTokens: 100_000,
  })
  const { sandboxId } = await bench.awake()
  const secret = await request<Secret>('POST', '/secrets', { name: 'SERVICE_TOKEN', value, hosts: ['api.example.org'] })
  await request('PATCH', `/secrets/${secret.id}`, { value: `${value}-changed` })
  await request('PUT', `/threads/${bench.threadId}/secrets/${secret.id}`, {})
  // Refusals, which name what was wrong.
  await request('POST', '/secrets', { name: 'SERVICE_TOKEN', value, hosts: ['api.example.org'] })
  await request('POST', '/secrets', { name: 'OTHER', value: `${value}\n`, hosts: ['api.example.org'] })
  await request('PATCH', `/secrets/${secret.id}`, { value: `${value}\u00e9` })
  egress.gate = () => Promise.reject(new Error('not now'))
  await request('PATCH', `/secrets/${secret.id}`, { value })
  egress.gate = async () => {}
  await request('PATCH', `/secrets/${secret.id}`, { value })
  await say('hello')
  const agent = await request<Agent>('POST', '/agents', { name: 'Agent' })
  const thread = `/threads/${bench.threadId}`
  for (const path of [
    ...['/secrets', '/audit', '/settings', '/me', '/threads', '/openapi.json', `/agents/${agent.id}`],
    ...[`${thread}/secrets`, `${thread}/entries`, `${thread}/sandbox`, `${thread}/export?format=html`],
    ...[
      `${thread}/export?format=markdown`,
      `${thread}/export?format=notebook`,
      `/agents/${agent.id}/versions/1/export`,
    ],
  ]) {
    await request('GET', path)
  }
  const asked = model.requests.map(wholeText).join('\n')
  expect(asked).toContain('- SERVICE_TOKEN: for api.example.org')
  expect(JSON.stringify(egress.grants.get(sandboxId))).toContain(value)
  const places = {
    responses: responses.join('\n'),
    logs: lines.join('\n'),
    database: await databaseText(),
    files: await filesText(bench.server.directory),
    'model requests': asked + model.titleRequests.map(wholeText).join('\n'),
    sandbox: JSON.stringify([...bench.host.variables, ...bench.host.sandboxes]),
  }
  // The search finds a planted value in each.
  const planted = Object.fromEntries(Object.entries(places).map(([name, text]) => [name, `${text}${forms[1]}`]))
  expect(placesWith(planted)).toEqual(Object.keys(places))
  expect(Object.values(places).every((text) => text.length > 100)).toBe(true)
  expect(placesWith(places)).toEqual([])
})
