import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { cell, output } from '../stack/in-threads.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { kernelOf as kernelOfSandbox } from '../stack/sandbox-kernels.ts'
import { makeTestCertificates } from '../stack/test-certificates.ts'
import { addNeighbor, type Neighbor } from './isolation/test-machine.ts'
import { frameVisit, signIn } from './previews/visitor.ts'

/**
 * An hour without a message, by the clock of server and host daemon. Inside of sandboxes the clock is the machine’s, which
 * only programs notice that run.
 */
const hourMs = 3_600_000
const tlsAddress = '198.51.100.90'
const tlsPort = 7443
let clock: AdvancedClock
let installation: TestInstallation
let peer: Neighbor
let tlsServer: ChildProcess
let directory: string
beforeAll(async () => {
  clock = await makeAdvancedClock()
  const [started] = await Promise.all([
    startInstallation({
      hostEnvironment: { ...clock.hostEnvironment, THREADBOX_FREEZE_IDLE_SECONDS: '1' },
      serverEnvironment: clock.environment,
    }),
    startTlsServer(),
  ])
  installation = started
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await clock?.[Symbol.asyncDispose]()
  tlsServer?.kill('SIGKILL')
  await peer?.remove()
  await rm(directory, { recursive: true, force: true })
})

/** On another machine; it returns each line backwards. */
async function startTlsServer(): Promise<void> {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-tls-'))
  peer = await addNeighbor({ subnet: 90, addresses: [tlsAddress], address6: 'fd77:90::2' })
  await makeTestCertificates(directory, ['peer.test'])
  const files = ['-cert', path.join(directory, 'host.pem'), '-key', path.join(directory, 'host.key')]
  const args = ['netns', 'exec', peer.namespace, 'openssl', 's_server', '-accept', String(tlsPort), ...files, '-rev']
  tlsServer = spawn('ip', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(tlsServer, 'spawn')
}

type Subject = { thread: TestThread; sandboxId: string }

/** A thread that isn’t paused within the hour. */
async function awake(): Promise<Subject> {
  const before = await sandboxIdsOf(installation)
  const thread = await installation.newThread()
  await output(thread, 'word=kept; cd /tmp')
  await installation.client.sandboxes.change(thread.id, { policy: { idlePauseMinutes: 600 } })
  const sandboxId = (await sandboxIdsOf(installation)).find((id) => !before.includes(id)) ?? ''
  return { thread, sandboxId }
}

const kernelOf = ({ sandboxId }: Subject) => kernelOfSandbox(installation.host, sandboxId)
const passHour = () => clock.advance(hourMs, [installation.host, installation.server])

test('C4: after an hour in which a sandbox was frozen, it has what it held, the right time, and its timers run', async () => {
  const subject = await awake()
  const { thread } = subject
  await cell(thread, 'import asyncio, time; value = object(); number = id(value); started = time.monotonic()')
  const frozen = () => kernelOf(subject).then(({ isFrozen }) => isFrozen)
  await expect.poll(frozen, { timeout: 30_000, interval: 50 }).toBe(true)
  const { pid } = await kernelOf(subject)
  await passHour()
  // A request between processes of the host that was open then has timed out, and one of them can have been started again.
  await expect.poll(() => kernelOf(subject), { timeout: 30_000, interval: 50 }).toEqual({ pid, isFrozen: true })
  const [seen, word] = (await output(thread, 'date +%s%3N; echo $word $PWD')).split('\n')
  expect(Math.abs(Number(seen) - Date.now())).toBeLessThan(2000)
  expect(word).toBe('kept /tmp')
  expect(await cell(thread, 'print(id(value) == number, 0 < time.monotonic() - started < 600)')).toBe('True True')
  expect(await cell(thread, 'await asyncio.sleep(0.1); print("slept")')).toBe('slept')
  expect(await output(thread, 'timeout 5 sleep 0.1 && echo slept')).toBe('slept\n')
  expect((await kernelOf(subject)).pid).toBe(pid)
  await expect.poll(frozen, { timeout: 30_000, interval: 50 }).toBe(true)
})

test('C4: an open TLS connection of a sandbox works after an hour, because the sandbox was not frozen', async () => {
  const subject = await awake()
  const { thread } = subject
  await cell(
    thread,
    `import socket, ssl
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
peer = context.wrap_socket(socket.create_connection(("${tlsAddress}", ${tlsPort})))
def ask(line):
    peer.sendall(line.encode() + b"\\n")
    return peer.makefile().readline().strip()
print(ask("abc"))`,
  )
  await passHour()
  await expectAwakeFor(subject, 3000)
  expect(await cell(thread, 'print(ask("def"))')).toBe('fed')
})

test('C4: a preview that is open works after an hour, and so does the next visit', async () => {
  const subject = await awake()
  const { thread } = subject
  await installation.client.files.write(thread.id, '/home/user/site.py', new Blob([site]))
  await output(thread, 'nohup python3 ~/site.py > /dev/null 2>&1 & sleep 1')
  const visitor = await signIn(installation.server)
  const preview = await visitor.open(thread.id, { port: 8000 })
  await visitor.enter(preview)
  const stream = await visitor.stream(`${preview.origin}/events`, { headers: frameVisit })
  await once(stream, 'data')
  await passHour()
  await expectAwakeFor(subject, 3000)
  await once(stream, 'data')
  expect((await visitor.ask(`${preview.origin}/`, { headers: frameVisit })).status).toBe(200)
  stream.destroy()
})

/** Sends an event five times a second. */
const site = `import http.server, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        while self.path == "/events":
            self.wfile.write(b"data: x\\n\\n")
            time.sleep(0.2)
http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Handler).serve_forever()
`

async function expectAwakeFor(subject: Subject, ms: number): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until) {
    expect((await kernelOf(subject)).isFrozen).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
