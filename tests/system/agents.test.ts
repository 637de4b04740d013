import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleWheel } from '../stack/example-wheel.ts'
import { foundOn } from '../stack/found-on.ts'
import { cell, output } from '../stack/in-threads.ts'
import {
  sandboxIdsOf,
  startInstallation,
  type TestInstallation,
  type TestThread,
  testThread,
} from '../stack/installation.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({
    serverEnvironment: {
      // The address of a test server, used only for the test of a connection.
      THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8',
      // Short, because the tests wait for deleted threads to be removed.
      THREADBOX_UNDO_SECONDS: '1',
    },
  })
})
afterAll(() => installation[Symbol.asyncDispose]())

const pollOptions = { timeout: 120_000, interval: 500 }
const random = () => crypto.randomUUID().replaceAll('-', '')

const sandboxIds = () => sandboxIdsOf(installation)
const diskOf = (sandboxId: string) => path.join(installation.host.diskDirectory, 'pool/disks', sandboxId)

const secrets = {
  ssh: random(),
  netrc: random(),
  git: random(),
  aws: random(),
  npm: random(),
  history: random(),
  stored: random(),
  output: random(),
  ticked: `ghp_${random()}abcd`,
}
const canary = random()

async function configure(thread: TestThread): Promise<void> {
  const { client } = installation
  await output(thread, `true; cat > /tmp/wheel.py <<'END'\n${exampleWheel}\nEND\npython3 /tmp/wheel.py`)
  await output(thread, 'pip install --no-index /tmp/threadbox_example-1.0-py3-none-any.whl')
  await output(thread, `mkdir -p data && echo ${canary} > data/canary && echo set nu > .vimrc`)
  await output(thread, 'export CITY=Oslo; cd data')
  await cell(thread, 'import math\nrate = 7\ndef double(x): return 2 * x * rate // 7')
  await client.files.write(thread.id, '/home/user/site/index.html', new Blob(['from the agent']))
  const command = 'python3 -m http.server 8000 --directory /home/user/site'
  await client.services.start(thread.id, { name: 'site', command, port: 8000 })
  await serviceRuns(thread.id)
}

async function serviceRuns(threadId: string): Promise<void> {
  const states = async () => (await installation.client.services.list(threadId)).services.map((one) => one.status)
  await expect.poll(() => states(), pollOptions).toEqual(['running'])
}

async function plantSecrets(thread: TestThread): Promise<void> {
  const { client } = installation
  const files: Record<string, string> = {
    '.ssh/id_ed25519': secrets.ssh,
    '.netrc': `machine a login b password ${secrets.netrc}`,
    '.git-credentials': `https://a:${secrets.git}@example.com`,
    '.aws/credentials': `aws_secret_access_key=${secrets.aws}`,
    '.npmrc': `//registry.example.com/:_authToken=${secrets.npm}\n`,
    '.bash_history': `login ${secrets.history}`,
    'data/settings.json': `{"key": "${secrets.stored}"}`,
    '.env': `GITHUB_TOKEN=${secrets.ticked}\nCOLOUR=green\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    await client.files.write(thread.id, `/home/user/${name}`, new Blob([text]))
  }
  // Longer than the part of an output that is kept in memory.
  await output(thread, `for i in $(seq 40000); do echo ${secrets.output}; done`)
  // The installation itself stores one of them.
  const auth = { kind: 'bearer', token: secrets.stored } as const
  await client.connections.create({ name: 'Store', url: 'http://127.0.0.1:9/mcp', auth })
}

async function expectWhole(thread: TestThread): Promise<void> {
  expect(await output(thread, 'echo $CITY $PWD; cat canary ~/.vimrc')).toBe(`Oslo /home/user/data\n${canary}\nset nu\n`)
  expect(await output(thread, 'python3 -c "import threadbox_example; print(threadbox_example.ANSWER)"')).toBe('42\n')
  expect(await cell(thread, 'print(double(21), math.floor(2.5), rate)')).toBe('42 2 7')
  await serviceRuns(thread.id)
  expect(await output(thread, 'curl -sS http://127.0.0.1:8000/')).toBe('from the agent')
  expect(await output(thread, 'ls -d ~/.ssh ~/.netrc ~/.aws 2>/dev/null | wc -l')).toBe('0\n')
}

test('C11: a configured thread is saved without its secrets, deleted, and run three times at the same time', async () => {
  const { client } = installation
  const source = await installation.newThread()
  await configure(source)
  await plantSecrets(source)
  const before = await sandboxIds()
  const environment = await client.agents.capture(source.id)
  expect(environment.captured.services).toMatchObject([{ name: 'site', port: 8000 }])
  expect(environment.captured.variables.names).toEqual(expect.arrayContaining(['double', 'rate']))
  expect(environment.notCaptured.memoryProblem).toBe('')
  expect(environment.notCaptured.redacted).toContainEqual({ path: '/home/user/.npmrc', rule: 'npmrc-token', count: 1 })
  const ticked = { path: '/home/user/.env', rule: 'github-token' }
  expect(environment.findings).toContainEqual({ ...ticked, count: 1 })

  const [sandboxId = ''] = (await sandboxIds()).filter((id) => !before.includes(id))
  // The search finds the canary, and findings that have not been selected yet.
  expect(await foundOn(diskOf(sandboxId), { canary, ...secrets })).toEqual([
    'canary: /root/home/user/data/canary',
    'ticked: /root/home/user/.env',
  ])
  const agent = await client.agents.create({
    name: 'Analyst',
    instructions: 'Count.',
    environment: { id: environment.id, redact: [ticked] },
  })
  expect(agent.current).toMatchObject({ version: 1, environment: { services: ['site'] } })
  expect(await foundOn(diskOf(sandboxId), { canary, ...secrets })).toEqual(['canary: /root/home/user/data/canary'])
  // The source keeps its files and keeps running.
  expect(await output(source, 'cat ~/.netrc; echo $CITY')).toContain(secrets.netrc)
  expect(await cell(source, 'print(double(1))')).toBe('2')
  await client.threads.delete(source.id)
  for (const id of before) await expect.poll(sandboxIds, pollOptions).not.toContain(id)

  const started = await Promise.all([1, 2, 3].map((n) => client.agents.start(agent.id, { title: `Run ${n}` })))
  const threads = started.map(({ id }) => testThread(client, id))
  expect(started[0]).toMatchObject({ startedFrom: { agentId: agent.id, version: 1 }, sandbox: { state: 'cold' } })
  await Promise.all(threads.map(expectWhole))
  const [first, second, third] = threads as [TestThread, TestThread, TestThread]
  const names = await Promise.all(threads.map((thread) => output(thread, 'hostname')))
  expect(new Set(names).size).toBe(3)
  const numbers = 'import random, secrets; print(random.random(), secrets.token_hex(8))'
  expect(new Set(await Promise.all(threads.map((thread) => cell(thread, numbers)))).size).toBe(3)
  // None of them sees the others.
  await output(first, 'echo only here > ~/data/canary; rm ~/site/index.html')
  await cell(first, 'rate = 14')
  expect(await output(second, 'cat ~/data/canary')).toBe(`${canary}\n`)
  expect(await cell(third, 'print(rate)')).toBe('7')

  // Update from a run: later runs have the new state, earlier versions can be run again.
  const newer = await client.agents.capture(first.id)
  const updated = await client.agents.update(agent.id, { environment: { id: newer.id } })
  expect(updated.current.version).toBe(2)
  const later = testThread(client, (await client.agents.start(agent.id)).id)
  expect(await output(later, 'cat ~/data/canary')).toBe('only here\n')
  expect(await cell(later, 'print(double(1))')).toBe('4')
  const canaryOf = async (threadId: string) =>
    await (await client.files.read(threadId, '/home/user/data/canary', { wake: false })).text()
  expect(await canaryOf((await client.agents.start(agent.id, { version: 1 })).id)).toBe(`${canary}\n`)
  await client.agents.setVersion(agent.id, { version: 1 })
  expect(await canaryOf((await client.agents.start(agent.id)).id)).toBe(`${canary}\n`)
}, 1_200_000)
