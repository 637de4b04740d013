import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A network in which a browser sees some ports of the machine on its loopback address and nothing else. Chromium drops
 * every connection when an interface of its machine appears or disappears, which starting sandboxes does all the time;
 * and a page that tries to reach any other address fails here instead of leaving the machine.
 */
export type QuietNetwork = AsyncDisposable & {
  /** Starts the browser inside; takes its arguments and passes its descriptors through. */
  executablePath: string
  /**
   * A port of the machine that leads to the same port inside: for a browser that is driven over a socket, not over
   * descriptors.
   */
  debuggingPort: number
  /** Number of the browser’s open connections to all of the ports. */
  connections(): number
}

/**
 * `shell`: Chromium without a window, the same engine at a fifth of the CPU time for its own profile. Letters are drawn
 * as the browser with a window draws them on Debian; its own hinting would differ. `whole`: the full browser, headless;
 * it keeps no third-party cookies, and Tab also goes through its toolbar. `firefox`: Debian’s; it needs a home that
 * belongs to the user it runs as, which root’s does not under sudo.
 */
export type Program = 'shell' | 'whole' | 'firefox'
const programs: Record<Program, string> = {
  shell: '/usr/bin/chromium-headless-shell --font-render-hinting=slight',
  whole: '/usr/bin/chromium',
  firefox: 'env HOME="$(dirname "$0")" /usr/bin/firefox-esr',
}

/** Where connections arrive or lead: a port, or a socket file, which every namespace can reach. */
type End = { port: number; host: '127.0.0.1' } | { path: string }
type Forwarding = { from: End; to: End }

/** Runs inside the namespace: forwards connections. */
const forwarder = `
const net = require('node:net')
const open = ({ from, to }) => new Promise((resolve) => net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ ...to, allowHalfOpen: true })
  near.pipe(far).pipe(near)
  near.on('error', () => far.destroy()); far.on('error', () => near.destroy())
}).listen(from, resolve))
Promise.all(JSON.parse(process.argv[1]).map(open)).then(() => process.stdout.write('ready'))`

export async function openQuietNetwork(ports: readonly number[], program: Program): Promise<QuietNetwork> {
  await using cleanup = new AsyncDisposableStack()
  const name = `tbq-${randomBytes(3).toString('hex')}`
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-quiet-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const open = new Set<Socket>()
  const file = (fileName: string) => ({ path: path.join(directory, fileName) })
  const inside: Forwarding[] = []
  for (const port of ports) {
    cleanup.use(await passOn({ from: file(String(port)), to: at(port) }, open))
    inside.push({ from: at(port), to: file(String(port)) })
  }
  const { port: debuggingPort } = cleanup.use(await passOn({ from: at(0), to: file('debugging') }))
  inside.push({ from: file('debugging'), to: at(debuggingPort) })
  await run('ip', ['netns', 'add', name])
  cleanup.defer(async () => {
    await run('ip', ['netns', 'del', name])
  })
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  const forwarding = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', forwarder, JSON.stringify(inside)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanup.defer(() => end(forwarding))
  await once(forwarding.stdout, 'data')
  const executablePath = path.join(directory, 'browser')
  await writeFile(executablePath, `#!/bin/sh\nexec ip netns exec ${name} ${programs[program]} "$@"\n`)
  await chmod(executablePath, 0o755)
  const kept = cleanup.move()
  return {
    executablePath,
    debuggingPort,
    connections: () => open.size,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function at(port: number): End {
  return { port, host: '127.0.0.1' }
}

/** Forwards connections, outside of the namespace, and tracks the open ones. */
async function passOn({ from, to }: Forwarding, open = new Set<Socket>()): Promise<Disposable & { port: number }> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    open.add(near)
    near.once('close', () => open.delete(near))
    const far = connect({ ...to, allowHalfOpen: true })
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  server.listen(from)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { port, [Symbol.dispose]: () => void server.close() }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
