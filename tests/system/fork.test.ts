import { hostPaths } from '@threadbox/protocol/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell, output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'
import { signIn } from './previews/visitor.ts'

let installation: TestInstallation
beforeAll(async () => {
  // Short, because the tests wait for deleted forks to be removed.
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' } })
})
afterAll(() => installation[Symbol.asyncDispose]())

test('C9: a live fork continues with processes, variables, shell and files; both are independent from that point', async () => {
  const source = await installation.newThread()
  await output(source, 'export CITY=Oslo; cd /tmp; echo kept > /home/user/note')
  await output(
    source,
    `nohup sh -c 'n=0; while true; do n=$((n+1)); echo $n > /dev/shm/next; mv /dev/shm/next /dev/shm/count; sleep 0.1; done' > /dev/null 2>&1 & echo $! > /home/user/pid`,
  )
  await cell(source, 'import random; held = {"a": 41}; state = random.getstate()')
  const made = await installation.client.threads.fork(source.id)
  expect(made).toMatchObject({ forkedFrom: { threadId: source.id, from: 'memory' }, sandbox: { state: 'active' } })
  const fork = testThread(installation.client, made.id)
  for (const thread of [source, fork]) {
    expect(
      await output(thread, 'echo $CITY $PWD; cat /home/user/note; kill -0 $(cat /home/user/pid) && echo runs'),
    ).toBe('Oslo /tmp\nkept\nruns\n')
    expect(await cell(thread, 'print(held["a"])')).toBe('41')
    const [first, second] = (await output(thread, 'cat /dev/shm/count; sleep 1; cat /dev/shm/count'))
      .trim()
      .split('\n')
      .map(Number)
    expect(second).toBeGreaterThan(first ?? 0)
  }
  expect(await output(fork, 'hostname')).not.toBe(await output(source, 'hostname'))
  const random = 'import random, secrets; print(random.random(), secrets.token_hex(8))'
  expect(await cell(fork, random)).not.toBe(await cell(source, random))
  await cell(fork, 'held["a"] = 1')
  await output(fork, 'echo other > /home/user/note; kill $(cat /home/user/pid)')
  expect(await cell(source, 'print(held["a"])')).toBe('41')
  expect(await output(source, 'cat /home/user/note; kill -0 $(cat /home/user/pid) && echo runs')).toBe('kept\nruns\n')
})

test('C9: a fork from an earlier response has that response’s files, starts cold and says so', async () => {
  const source = await installation.newThread()
  await output(source, 'echo first > /home/user/note')
  const { turn } = await source.say('/run echo second > /home/user/note')
  await output(source, 'echo third > /home/user/note')
  const made = await installation.client.threads.fork(source.id, { turnId: turn.id })
  expect(made).toMatchObject({ forkedFrom: { turnId: turn.id, from: 'disk', turns: 2 }, sandbox: { state: 'cold' } })
  const fork = testThread(installation.client, made.id)
  expect(await output(fork, 'cat /home/user/note')).toBe('second\n')
  expect(await output(source, 'cat /home/user/note')).toBe('third\n')
  const wakes = (await fork.entries()).filter((entry) => entry.kind === 'wake')
  expect(wakes).toMatchObject([{ report: { from: 'disk', cause: { code: 'forked' } } }])
})

test('C9: a copy through a link continues with what runs, in the account that makes it', async () => {
  const source = await installation.newThread()
  const { client } = installation
  await cell(source, 'held = iter([41, 42])')
  const { url } = await client.threads.createLink(source.id, {
    withFiles: false,
    allowsCopies: true,
    expiresInSeconds: 3600,
  })
  const secret = new URL(url).pathname.split('/').at(-1) ?? ''
  expect(await client.threads.lookAtShared(secret)).toMatchObject({ turns: 1, hasComputer: true })
  const made = await client.threads.copyShared(secret)
  expect(made).toMatchObject({ forkedFrom: { threadId: '', from: 'memory' }, sandbox: { state: 'active' } })
  expect(await cell(testThread(client, made.id), 'print(next(held))')).toBe('41')
  expect(await cell(source, 'print(next(held))')).toBe('41')
})

test('C9: a service with something in memory continues in both threads, side by side in two previews', async () => {
  const source = await installation.newThread()
  const program = [
    'import http.server, itertools',
    'hits = itertools.count(1)',
    'class Page(http.server.BaseHTTPRequestHandler):',
    '    def do_GET(self):',
    '        self.send_response(200); self.end_headers(); self.wfile.write(b"hit %d" % next(hits) if self.path == "/hit" else b"")',
    'http.server.HTTPServer(("127.0.0.1", 8000), Page).serve_forever()',
  ].join('\n')
  const { client } = installation
  await client.files.write(source.id, '/home/user/page.py', new Blob([program]))
  await client.services.start(source.id, { name: 'page', command: 'python3 page.py', port: 8000 })
  const state = async (threadId: string) => (await client.services.list(threadId)).services.map((one) => one.status)
  await expect.poll(() => state(source.id), { timeout: 60_000 }).toEqual(['running'])
  const visitor = await signIn(installation.server)
  const page = async (threadId: string) => {
    const preview = await visitor.open(threadId, { port: 8000, path: '/' })
    await visitor.enter(preview)
    return { origin: preview.origin, next: async () => (await visitor.ask(`${preview.origin}/hit`)).body }
  }
  const first = await page(source.id)
  expect([await first.next(), await first.next()]).toEqual(['hit 1', 'hit 2'])
  const made = await client.threads.fork(source.id)
  await expect.poll(() => state(made.id), { timeout: 60_000 }).toEqual(['running'])
  const second = await page(made.id)
  expect(second.origin).not.toBe(first.origin)
  expect([await second.next(), await second.next()]).toEqual(['hit 3', 'hit 4'])
  expect(await first.next()).toBe('hit 3')
  await client.services.stop(made.id, 'page')
  expect(await first.next()).toBe('hit 4')
})

test('C9: a host daemon that is killed during a fork leaves a running source, and nothing of the fork', async () => {
  const source = await installation.newThread()
  await cell(source, 'held = 41')
  const { host, client } = installation
  const sandboxes = async () => {
    const { body } = await host.request('GET', hostPaths.list())
    return (body as { sandboxes: { sandboxId: string }[] }).sandboxes.map(({ sandboxId }) => sandboxId)
  }
  const before = (await sandboxes()).length
  const threads = async () => (await client.threads.list()).threads.length
  const threadsBefore = await threads()
  for (const waitMs of [30, 120, 250]) {
    const forking = client.threads.fork(source.id).then(
      (fork) => fork.id,
      () => undefined,
    )
    // A different moment of the fork each time.
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    await host.kill('SIGKILL')
    await host.restart()
    const made = await forking
    expect(await cell(source, 'print(held)')).toBe('41')
    if (made !== undefined) await client.threads.delete(made)
  }
  await expect.poll(threads, { timeout: 60_000 }).toBe(threadsBefore)
  await expect.poll(async () => (await sandboxes()).length, { timeout: 120_000, interval: 500 }).toBe(before)
})
