import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell, output } from '../stack/in-threads.ts'
import {
  sandboxIdsOf,
  startInstallation,
  type TestInstallation,
  type TestThread,
  testThread,
} from '../stack/installation.ts'
import { foundIn, placeOf } from './agents-live/found-in.ts'

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

/** The data on a copy’s disk beyond its image. */
const ownPlaces = (sandboxId: string) =>
  ['home', 'root', 'var/lib/threadbox', 'tmp'].map((name) =>
    path.join(placeOf(installation, 'disks', sandboxId), 'root', name),
  )

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

async function plantSecrets(thread: TestThread): Promise<void> {
  const { client } = installation
  const files: Record<string, string> = {
    'data/canary': canary,
    '.ssh/id_ed25519': secrets.ssh,
    '.netrc': `machine a login b password ${secrets.netrc}`,
    '.git-credentials': `https://a:${secrets.git}@example.com`,
    '.aws/credentials': `aws_secret_access_key=${secrets.aws}`,
    '.npmrc': `//registry.example.com/:_authToken=${secrets.npm}\n`,
    '.bash_history': `login ${secrets.history}`,
    'data/settings.json': `{"key": "${secrets.stored}"}`,
    '.env': `GITHUB_TOKEN=${secrets.ticked}\nCOLOUR=green\n`,
    'data/print.sh': `for i in $(seq 40000); do echo ${secrets.output}; done`,
  }
  for (const [name, text] of Object.entries(files)) {
    await client.files.write(thread.id, `/home/user/${name}`, new Blob([text]))
  }
  // Read by programs too; and longer than the part of an output that is kept in memory.
  await output(thread, 'cat ~/.netrc ~/.ssh/* ~/.env ~/.aws/* > /dev/null; sh ~/data/print.sh; rm ~/data/print.sh')
  // The installation itself stores one of them.
  const auth = { kind: 'bearer', token: secrets.stored } as const
  await client.connections.create({ name: 'Store', url: 'http://127.0.0.1:9/mcp', auth })
}

/** A service that counts its visits in memory, a counter, and variables that cannot be saved. */
async function configure(thread: TestThread): Promise<void> {
  const { client } = installation
  const program = [
    'import http.server, itertools',
    'hits = itertools.count(1)',
    'class Page(http.server.BaseHTTPRequestHandler):',
    '    def do_GET(self):',
    '        self.send_response(200); self.end_headers(); self.wfile.write(b"hit %d" % next(hits) if self.path == "/hit" else b"")',
    'http.server.HTTPServer(("127.0.0.1", 8000), Page).serve_forever()',
  ].join('\n')
  await client.files.write(thread.id, '/home/user/page.py', new Blob([program]))
  await client.services.start(thread.id, { name: 'page', command: 'python3 page.py', port: 8000 })
  await serviceRuns(thread.id)
  expect(await output(thread, 'curl -sS http://127.0.0.1:8000/hit')).toBe('hit 1')
  await output(
    thread,
    `nohup sh -c 'n=0; while true; do n=$((n+1)); echo $n > /dev/shm/next; mv /dev/shm/next /dev/shm/count; sleep 0.1; done' > /dev/null 2>&1 & echo $! > /home/user/pid`,
  )
  await output(thread, 'export CITY=Oslo')
  await cell(
    thread,
    'import socket, threading; numbers = (n for n in range(1000)); lock = threading.Lock(); left, right = socket.socketpair(); _ = left.send(b"waits"); print(next(numbers))',
  )
  await cell(thread, `held = bytes.fromhex("${Buffer.from(canary).toString('hex')}").decode()`)
}

async function serviceRuns(threadId: string): Promise<void> {
  const states = async () => (await installation.client.services.list(threadId)).services.map((one) => one.status)
  await expect.poll(() => states(), pollOptions).toEqual(['running'])
}

async function expectGoesOn(thread: TestThread): Promise<void> {
  expect(await cell(thread, 'print(next(numbers), lock.locked(), right.recv(5), held)')).toBe(
    `1 False b'waits' ${canary}`,
  )
  await serviceRuns(thread.id)
  expect(await output(thread, 'curl -sS http://127.0.0.1:8000/hit')).toBe('hit 2')
  expect(await output(thread, 'echo $CITY; kill -0 $(cat /home/user/pid) && echo runs')).toBe('Oslo\nruns\n')
  const [before, after] = (await output(thread, 'cat /dev/shm/count; sleep 1; cat /dev/shm/count')).trim().split('\n')
  expect(Number(after)).toBeGreaterThan(Number(before))
  expect(await output(thread, 'ls -d ~/.ssh ~/.netrc ~/.aws 2>/dev/null | wc -l')).toBe('0\n')
}

test('C11: with live memory a saved thread continues in three threads at the same time, and none of its secrets is on disk or in memory', async () => {
  const { client } = installation
  const source = await installation.newThread()
  await configure(source)
  await plantSecrets(source)
  const before = await sandboxIds()
  const environment = await client.agents.capture(source.id, { keepMemory: true })
  expect(environment.memory).toMatchObject({ kept: true })
  const [sandboxId = ''] = (await sandboxIds()).filter((id) => !before.includes(id))
  // The search finds the canary in a file and in a variable, and findings that have not been selected yet.
  expect(await foundIn(placeOf(installation, 'memory', sandboxId), { canary })).toEqual(['canary'])
  const ticked = { path: '/home/user/.env', rule: 'github-token' }
  const agent = await client.agents.create({ name: 'Live', environment: { id: environment.id, redact: [ticked] } })
  expect(agent.current.environment?.memoryBytes).toBeGreaterThan(0)
  // Command output belongs to the conversation and is not a secret of the user: pieces of it can remain
  // (docs/agents.md).
  const { output: _, ...kept } = secrets
  expect(await foundIn(placeOf(installation, 'memory', sandboxId), { canary, ...kept })).toEqual(['canary'])
  for (const place of ownPlaces(sandboxId)) {
    expect(
      (await foundIn(place, { canary, ...secrets })).filter((name) => name !== 'canary'),
      place,
    ).toEqual([])
  }
  await client.threads.delete(source.id)
  for (const id of before) await expect.poll(sandboxIds, pollOptions).not.toContain(id)

  const started = await Promise.all([1, 2, 3].map(() => client.agents.start(agent.id)))
  expect(started.map(({ sandbox }) => sandbox.state)).toEqual(['active', 'active', 'active'])
  const threads = started.map(({ id }) => testThread(client, id))
  await Promise.all(threads.map(expectGoesOn))
  const [first, second, third] = threads as [TestThread, TestThread, TestThread]
  const names = await Promise.all(threads.map((thread) => output(thread, 'hostname')))
  expect(new Set(names).size).toBe(3)
  const numbers = 'import random, secrets; print(random.random(), secrets.token_hex(8))'
  expect(new Set(await Promise.all(threads.map((thread) => cell(thread, numbers)))).size).toBe(3)
  // None of them sees the others.
  await output(first, 'curl -sS http://127.0.0.1:8000/hit; kill $(cat /home/user/pid)')
  await cell(first, 'held = 1')
  expect(await output(second, 'curl -sS http://127.0.0.1:8000/hit')).toBe('hit 3')
  expect(await output(third, 'kill -0 $(cat /home/user/pid) && echo runs')).toBe('runs\n')
  expect(await cell(third, 'print(held)')).toBe(canary)
}, 1_200_000)
