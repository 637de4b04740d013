import path from 'node:path'
import { hostPaths } from '@threadbox/protocol/host'
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
import { repeats, seeded } from '../stack/repeats.ts'

let installation: TestInstallation
beforeAll(async () => {
  // An address of a test server: nothing is sent there but the test of a connection.
  installation = await startInstallation({ serverEnvironment: { THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8' } })
})
afterAll(() => installation[Symbol.asyncDispose]())

const kills = repeats({ what: 'kills of the host daemon while an agent is captured', byDefault: 2, full: 8 })
const patience = { timeout: 120_000, interval: 500 }
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
  await expect.poll(() => states(), patience).toEqual(['running'])
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
  // Longer than what is kept in memory of an output.
  await output(thread, `for i in $(seq 40000); do echo ${secrets.output}; done`)
  // The installation keeps one of them itself.
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

test('C11: a configured thread is saved without its secrets, deleted, and run three times at once', async () => {
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
  // The searcher finds what is there: the canary, and what nobody has ticked yet.
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
  // The source has what it had, and goes on.
  expect(await output(source, 'cat ~/.netrc; echo $CITY')).toContain(secrets.netrc)
  expect(await cell(source, 'print(double(1))')).toBe('2')
  await client.threads.delete(source.id)
  for (const id of before) await expect.poll(sandboxIds, patience).not.toContain(id)

  const started = await Promise.all([1, 2, 3].map((n) => client.agents.start(agent.id, { title: `Run ${n}` })))
  const threads = started.map(({ id }) => testThread(client, id))
  expect(started[0]).toMatchObject({ startedFrom: { agentId: agent.id, version: 1 }, sandbox: { state: 'cold' } })
  await Promise.all(threads.map(expectWhole))
  const [first, second, third] = threads as [TestThread, TestThread, TestThread]
  const names = await Promise.all(threads.map((thread) => output(thread, 'hostname')))
  expect(new Set(names).size).toBe(3)
  const numbers = 'import random, secrets; print(random.random(), secrets.token_hex(8))'
  expect(new Set(await Promise.all(threads.map((thread) => cell(thread, numbers)))).size).toBe(3)
  // None sees the others.
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

test('C11: a host daemon that is killed while it captures leaves a source that goes on, and nothing of the copy', async () => {
  const { client, host } = installation
  const source = await installation.newThread()
  await cell(source, 'held = 41')
  await output(source, 'head -c 40000000 /dev/urandom > large')
  const before = (await sandboxIds()).toSorted()
  const random = seeded('kills while an agent is captured')
  for (let kill = 0; kill < kills; kill += 1) {
    // One while the sandbox is copied, one while the copy is looked through; then anywhere.
    const waitMs = [400, 2000][kill] ?? random.between(50, 4500)
    const capturing = client.agents.capture(source.id).then(
      ({ id }) => id,
      () => undefined,
    )
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    await host.kill('SIGKILL')
    await host.restart()
    const made = await capturing
    if (made !== undefined) await client.agents.discard(made)
    expect(await cell(source, 'print(held)')).toBe('41')
  }
  await expect.poll(async () => (await sandboxIds()).toSorted(), patience).toEqual(before)

  // What is captured takes no room of its own, and what was taken comes back.
  const used = async () => {
    const { body } = await host.request('GET', hostPaths.info())
    return (body as { poolUsedBytes: number }).poolUsedBytes
  }
  const usedBefore = await used()
  const { id } = await client.agents.capture(source.id)
  const agent = await client.agents.create({ name: 'Large', environment: { id } })
  expect((await used()) - usedBefore).toBeLessThan(20_000_000)
  await client.threads.delete(source.id)
  const started = await client.agents.start(agent.id)
  expect(await output(testThread(client, started.id), 'stat -c %s large')).toBe('40000000\n')
  await client.threads.delete(started.id)
  await client.agents.delete(agent.id)
  await expect.poll(async () => (await sandboxIds()).length, patience).toBe(before.length - 1)
  await expect.poll(used, patience).toBeLessThan(usedBefore - 20_000_000)
}, 1_200_000)
