import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { SandboxDetail, SurvivalReport } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { frameVisit, signIn } from './previews/visitor.ts'

/** A thread whose sandbox sleeps and wakes, seen through the public API, without stand-ins. */
let installation: TestInstallation
let thread: TestThread
let clock: AdvancedClock
beforeAll(async () => {
  clock = await makeAdvancedClock()
  installation = await startInstallation({
    hostEnvironment: clock.hostEnvironment,
    serverEnvironment: clock.environment,
  })
  thread = await installation.newThread()
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await clock?.[Symbol.asyncDispose]()
})

const advance = (seconds: number) => clock.advance(seconds * 1000, [installation.host, installation.server])

async function output(command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], command).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
  return calls[0]?.output.tail ?? ''
}

async function cell(code: string): Promise<string> {
  const { calls } = await thread.say(`/python ${code}`)
  expect(calls[0], code).toMatchObject({ status: 'succeeded', result: { kind: 'python', traceback: null } })
  return calls[0]?.output.tail ?? ''
}

/** The report of the newest wake, once the second check ran. */
function reported(
  before: string | undefined,
  threadId = thread.id,
  beforeEachLook: () => Promise<void> = async () => undefined,
): Promise<SurvivalReport> {
  return vi.waitFor(
    async () => {
      await beforeEachLook()
      const { latestReport } = await installation.client.sandboxes.get(threadId)
      if (latestReport === null || latestReport.id === before || latestReport.status !== 'complete') {
        throw new Error(`no complete report: ${latestReport?.status}`)
      }
      return latestReport
    },
    { timeout: 40_000, interval: 200 },
  )
}

const notKept = (report: SurvivalReport) =>
  report.items
    .filter(({ outcome }) => outcome !== 'kept')
    .map(({ kind, name, outcome, reason }) => ({ kind, name, outcome, reason }))

let last: SurvivalReport | undefined

test('A2, C6: a sandbox that was paused wakes with the next message, and everything in it is reported kept', async () => {
  await output(
    'cd /tmp && export CITY=Oslo && (nohup python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &) ; sleep 1; curl -s -o /dev/null localhost:8123',
  )
  await cell('x = 41\nnames = ["a", "b"]')
  const pids = await output('pgrep -f "http.server 8123"')
  const paused: SandboxDetail = await installation.client.sandboxes.pause(thread.id)
  expect(paused.sandbox).toMatchObject({ state: 'paused', detail: { code: 'paused.person' } })
  expect(
    await output(
      'echo "$CITY $PWD"; pgrep -f "http.server 8123"; curl -s -o /dev/null -w "%{http_code}" localhost:8123',
    ),
  ).toBe(`Oslo /tmp\n${pids}200`)
  expect(await cell('print(x + 1)')).toBe('42\n')
  last = await reported(undefined)
  expect(['frozen', 'memory']).toContain(last.from)
  expect(notKept(last)).toEqual([])
  expect(last.counts).toMatchObject({
    process: { kept: 1 },
    port: { kept: 1 },
    variable: { kept: 2 },
    shell: { kept: 1 },
  })
})

/** Counts in its log, and sends a stream to each client that requests one. */
const counter = (address: string) => `import http.server, os, threading, time
def tick():
    count = 0
    while True:
        time.sleep(0.2)
        count += 1
        print('count', count, flush=True)
threading.Thread(target=tick, daemon=True).start()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('content-type', 'text/event-stream')
        self.end_headers()
        while self.path == '/events':
            self.wfile.write(b'data: x\\n\\n')
            time.sleep(0.2)
    def log_message(self, *ignored):
        pass
http.server.ThreadingHTTPServer(('${address}', int(os.environ['PORT'])), Handler).serve_forever()
`

test('A2: the report of the first minute, and a rewind preview, list the user’s own things and nothing of threadbox', async () => {
  const { client, server } = installation
  const own = await installation.newThread()
  const visitor = await signIn(server)
  // One is reached through the guest, the other by the gateway itself; both are connected when the pause begins.
  for (const [port, address] of [
    [8000, '127.0.0.1'],
    [8001, '0.0.0.0'],
  ] as const) {
    await client.files.write(own.id, `/home/user/${port}.py`, new Blob([counter(address)]))
    await own.say(`/serve ${port} python3 ${port}.py`)
    const { services } = await client.services.list(own.id)
    expect(services).toContainEqual(expect.objectContaining({ port, status: 'running' }))
    const preview = await visitor.open(own.id, { port, path: '/' })
    await visitor.enter(preview)
    const stream = await visitor.stream(`${preview.origin}/events`, { headers: frameVisit })
    stream.on('error', () => undefined)
    await once(stream, 'data')
  }
  await client.files.write(
    own.id,
    '/home/user/ticks.py',
    // It holds one file open, and reopens the other for each line.
    new Blob([
      'import time\nwhile True: print(time.time()); print(time.time(), file=open("again.log", "a")); time.sleep(0.2)',
    ]),
  )
  await own.say('/run (nohup python3 -u ticks.py > ticks.log 2>&1 &)')
  await own.say('/python x = 41')
  await client.sandboxes.pause(own.id)
  await own.say('/python print(x + 1)')
  const report = await reported(undefined, own.id)
  expect(notKept(report)).toEqual([])
  expect(report.counts).toMatchObject({
    service: { kept: 2 },
    process: { kept: 1 },
    port: { kept: 2 },
    variable: { kept: 1 },
  })
  expect(report.counts.connection).toBeUndefined()
  expect(report.items).toContainEqual(
    expect.objectContaining({
      kind: 'file',
      name: '/home/user/ticks.log',
      outcome: 'kept',
      reason: 'Written after the pause, by a process that was kept.',
    }),
  )
  expect(report.items.find(({ name }) => name === '/home/user/again.log')).toMatchObject({
    outcome: 'kept',
    reason: expect.stringMatching(
      /^Written after the pause: the previous contents are unchanged, followed by \d+ bytes\.$/,
    ),
  })
  const ofThreadbox = /threadbox|\.ipython|GIT_CONFIG/
  expect(report.items.filter(({ name, detail, reason }) => ofThreadbox.test(`${name} ${detail} ${reason}`))).toEqual([])

  await own.say('/run mkdir -p app/__pycache__ && touch app/main.py app/__pycache__/{a,b,c}.pyc')
  const messages = (await own.entries()).filter(({ kind }) => kind === 'user-message')
  const { disk } = await client.threads.previewRewind(own.id, messages.at(-1)?.id ?? '')
  expect(disk.files?.map(({ path }) => path)).toEqual([
    '/home/user/again.log',
    '/home/user/app/main.py',
    '/home/user/ticks.log',
  ])
  expect(disk.caches).toEqual([{ path: '/home/user/app/__pycache__', removed: 3, restored: 0, changed: 0 }])
  expect(disk.count).toBe(6)
  await client.sandboxes.pause(own.id)
})

test('C4: a message during a pause cancels it: the same processes respond, and nothing is reported', async () => {
  const { client } = installation
  // A gigabyte takes a second to save.
  await cell('import os\nheld = bytearray(os.urandom(1 << 20)) * 1024\nkernel = os.getpid()')
  const pausing = client.sandboxes.pause(thread.id)
  pausing.catch(() => undefined)
  await vi.waitFor(async () => expect((await client.threads.get(thread.id)).sandbox.state).toBe('pausing'), {
    timeout: 30_000,
    interval: 20,
  })
  expect(await cell('print(kernel == os.getpid(), len(held) >> 20)')).toBe('True 1024\n')
  await expect(pausing).rejects.toMatchObject({ code: 'sandbox.pause-abandoned' })
  const { sandbox, latestReport, log } = await client.sandboxes.get(thread.id)
  expect([sandbox.state, latestReport?.id, log[0]?.code]).toEqual(['active', last?.id, 'pause-abandoned'])
  await cell('del held')
  expect((await client.sandboxes.pause(thread.id)).sandbox.state).toBe('paused')
  expect(await cell('print(kernel == os.getpid())\ndel kernel, os')).toBe('True\n')
  last = await reported(last?.id)
})

test('A3, G10: discarded memory leaves files and what could be rescued, and the report lists the rest', async () => {
  await installation.client.sandboxes.change(thread.id, { policy: { hotKeep: 'strict', hotHours: 0 } })
  await installation.client.sandboxes.pause(thread.id)
  await vi.waitFor(async () => expect((await installation.client.threads.get(thread.id)).sandbox.state).toBe('cold'), {
    timeout: 120_000,
    interval: 500,
  })
  await installation.client.sandboxes.change(thread.id, { policy: { hotKeep: null, hotHours: null } })
  expect(await cell('print(x + 1)')).toBe('42\n')
  const report = await reported(last?.id)
  last = report
  expect(report).toMatchObject({ from: 'disk', cause: { code: 'memory-given-up' } })
  expect(notKept(report).map(({ kind, name, outcome }) => `${outcome} ${kind} ${name.slice(0, 30)}`)).toEqual([
    'lost process python3 -m http.server 8123 --',
    'lost port tcp 127.0.0.1:8123',
    'rescued variable x',
    'rescued variable names',
    'rescued shell shell session',
  ])
  const server = report.items.find(({ name }) => name.includes('http.server 8123'))
  expect(server).toMatchObject({ outcome: 'lost', restartId: expect.any(String) })
  await installation.client.sandboxes.startRescued(thread.id, server?.restartId ?? '')
  await vi.waitFor(async () => expect(await output('pgrep -f "http.server 8123" || true')).not.toBe(''), {
    timeout: 10_000,
  })
})

test('O7: a restart keeps the disk and reports the rest as lost', async () => {
  await output('echo kept > /home/user/kept.txt')
  await installation.client.sandboxes.restart(thread.id)
  // Waits for rescued variables that are never used; then the report leaves them on the disk.
  const report = await reported(last?.id, thread.id, () => advance(5))
  expect(report).toMatchObject({ from: 'disk', cause: { code: 'restarted' } })
  expect(notKept(report)).toContainEqual(expect.objectContaining({ kind: 'process', outcome: 'lost' }))
  expect(await output('cat /home/user/kept.txt')).toBe('kept\n')
})

test('C4: real work keeps a sandbox awake by name; an idle server, an idle kernel and a sleeping daemon do not', async () => {
  const { client } = installation
  await client.sandboxes.change(thread.id, { policy: { idlePauseMinutes: 1 } })
  await output(
    'rm -f /tmp/stop; (nohup python3 -m http.server 8200 >/dev/null 2>&1 &); (nohup sleep 3600 >/dev/null 2>&1 &); ' +
      '(nohup python3 -c "import os\nwhile not os.path.exists(\'/tmp/stop\'): sum(range(100000))" >/dev/null 2>&1 &)',
  )
  const sandboxNow = async () => (await client.threads.get(thread.id)).sandbox
  const startedAt = clock.now()
  while (clock.now() - startedAt < 90_000) {
    await vi.waitFor(
      async () => {
        const sandbox = await sandboxNow()
        expect(sandbox).toMatchObject({ state: 'active', awake: { pauseAt: null } })
        expect(sandbox.awake?.reasons).toContainEqual(expect.objectContaining({ reason: 'cpu' }))
      },
      { timeout: 30_000, interval: 200 },
    )
    // As long as it works for real; a request to the sandbox would itself be a use of it.
    await delay(1000)
    await advance(18)
  }
  await output('touch /tmp/stop')
  const stoppedAt = clock.now()
  await advance(40)
  expect((await sandboxNow()).state).toBe('active')
  const paused = await vi.waitFor(
    async () => {
      await advance(5)
      const sandbox = await sandboxNow()
      expect(sandbox.state).toBe('paused')
      return sandbox
    },
    { timeout: 60_000, interval: 1000 },
  )
  expect(paused.detail).toEqual({ code: 'paused.idle', params: { minutes: 1 } })
  expect(clock.now() - stoppedAt).toBeGreaterThan(55_000)
})
