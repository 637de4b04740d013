import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { hostPaths } from '@threadbox/protocol/host'
import type { Connection, CreateStdioConnection, ToolCallEntry } from '@threadbox/protocol/public'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'

let installation: TestInstallation
let models: ModelServer
beforeAll(async () => {
  models = await startModelServer()
  installation = await startInstallation({
    serverEnvironment: { THREADBOX_CONNECTION_SECONDS: '30', THREADBOX_CONNECTION_PROGRAMS: '50' },
  })
  const body = {
    provider: 'anthropic',
    model: 'test-model',
    baseUrl: models.baseUrls.anthropic,
    apiKey: 'key',
  } as const
  await installation.client.models.connect(body)
})
afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await models.close()
})

const patience = { timeout: 90_000, interval: 200 }
const run = promisify(execFile)
const canary = `cn-${crypto.randomUUID()}`

async function settled(id: string): Promise<Connection> {
  const { client } = installation
  await expect.poll(async () => (await client.connections.get(id)).status, patience).not.toBe('starting')
  return await client.connections.get(id)
}
async function add(program: Partial<CreateStdioConnection> & { name: string; command: string }): Promise<Connection> {
  const { id } = await installation.client.connections.create({ kind: 'stdio', args: [], environment: [], ...program })
  return await settled(id)
}
const allowAll = ({ id, tools }: Connection) =>
  installation.client.connections.approve(id, Object.fromEntries(tools.map(({ name }) => [name, 'allow'])))

/** One turn in which the model calls these tools one after another. */
async function calls(
  thread: { say: Awaited<ReturnType<TestInstallation['newThread']>>['say'] },
  ...all: [string, object][]
) {
  models.reply(...all.map(([name, input]) => ({ calls: [{ name, input }] })), { text: 'Done.' })
  return (await thread.say('Do it')).calls
}
const textOf = (call: ToolCallEntry | undefined) => (call?.result?.kind === 'connection' ? call.result.text : '')

async function hostSandboxes(): Promise<{ sandboxId: string; actual: string; limits: { memoryBytes: number } }[]> {
  const { body } = await installation.host.request('GET', hostPaths.sandboxes)
  return (body as { sandboxes: { sandboxId: string; actual: string; limits: { memoryBytes: number } }[] }).sandboxes
}

test('G9: the reference server as it is published runs by npx in a sandbox of its own; its tools are called from a thread', async () => {
  const everything = await add({
    ...{ name: 'Everything', command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
    environment: [
      { name: 'PLAIN', value: 'seen', isSecret: false },
      { name: 'SERVICE_TOKEN', value: canary, isSecret: true },
    ],
  })
  expect(everything, JSON.stringify(everything.failure)).toMatchObject({ status: 'ready', kind: 'stdio', phase: null })
  console.log(
    everything.tools.map(({ name }) => name),
    await hostSandboxes(),
  )
  await allowAll(everything)
  const thread = await installation.newThread()
  const made = await calls(
    thread,
    ['everything__echo', { message: 'hello' }],
    ['everything__get-sum', { a: 2, b: 3 }],
    ['everything__get-env', {}],
    ['everything__trigger-long-running-operation', { duration: 2, steps: 4 }],
    ['everything__get-tiny-image', {}],
  )
  console.log(JSON.stringify(made.map((c) => [c.status, textOf(c).slice(0, 300), c.error])))
  const { stdout } = await run('sh', ['-c', 'ps -eo rss,args --sort=-rss | head -5'])
  console.log(stdout.slice(0, 500))
}, 240_000)
