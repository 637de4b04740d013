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
 * A network in which a browser sees some ports of the machine on its loopback address and nothing else. Chromium drops every
 * connection when an interface of its machine comes or goes, which starting sandboxes does all the time; and a page that
 * tries to reach any other address fails here instead of leaving the machine.
 */
export type QuietNetwork = AsyncDisposable & {
  /** Starts Chromium inside; takes its arguments and passes on its descriptors. */
  executablePath: string
  /** Connections that the browser has open, to all of the ports. */
  connections(): number
}

/**
 * `shell`: Chromium without a window, the same engine at a fifth of the processor time for a profile of its own. Letters are
 * drawn as the browser with a window draws them on Debian; its own hinting would be another one. `whole`: the browser that
 * people have, without showing it; it keeps no cookies of third parties, and Tab goes through its toolbar, too.
 */
export type Program = 'shell' | 'whole'
const programs: Record<Program, string> = {
  shell: '/usr/bin/chromium-headless-shell --font-render-hinting=slight',
  whole: '/usr/bin/chromium',
}

/** Runs inside the namespace: passes each connection on through the port's socket file, which every namespace can reach. */
const forwarder = `
const [directory, ...ports] = process.argv.slice(1)
const net = require('node:net')
const open = (port) => new Promise((resolve) => net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: directory + '/' + port, allowHalfOpen: true })
  near.pipe(far).pipe(near)
  near.on('error', () => far.destroy()); far.on('error', () => near.destroy())
}).listen(Number(port), '127.0.0.1', resolve))
Promise.all(ports.map(open)).then(() => process.stdout.write('ready'))`

export async function openQuietNetwork(ports: readonly number[], program: Program): Promise<QuietNetwork> {
  await using cleanup = new AsyncDisposableStack()
  const name = `tbq-${randomBytes(3).toString('hex')}`
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-quiet-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const open = new Set<Socket>()
  for (const port of ports) cleanup.use(await passOn({ port, socket: path.join(directory, String(port)), open }))
  await run('ip', ['netns', 'add', name])
  cleanup.defer(async () => {
    await run('ip', ['netns', 'del', name])
  })
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  const inside = spawn(
    'ip',
    ['netns', 'exec', name, process.execPath, '-e', forwarder, directory, ...ports.map(String)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  cleanup.defer(() => end(inside))
  await once(inside.stdout, 'data')
  const executablePath = path.join(directory, 'chromium')
  await writeFile(executablePath, `#!/bin/sh\nexec ip netns exec ${name} ${programs[program]} "$@"\n`)
  await chmod(executablePath, 0o755)
  const kept = cleanup.move()
  return { executablePath, connections: () => open.size, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Brings connections from the socket file to the port. */
async function passOn(options: { port: number; socket: string; open: Set<Socket> }): Promise<Disposable> {
  const { port, socket, open } = options
  const server = createServer({ allowHalfOpen: true }, (near) => {
    open.add(near)
    near.once('close', () => open.delete(near))
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  server.listen(socket)
  await once(server, 'listening')
  return { [Symbol.dispose]: () => void server.close() }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
