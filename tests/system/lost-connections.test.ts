import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { SurvivalReport } from '@threadbox/sdk'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { addNeighbor, type Neighbor, run } from './isolation/test-machine.ts'

/**
 * Four connections of a sandbox to another machine, with numbers flowing both ways. While the sandbox sleeps, three of
 * the other sides close, each in its own way; the fourth and a connection inside the sandbox are left alone.
 */
const peerAddress = '198.51.100.81'
const program = path.join(import.meta.dirname, 'pause-story/witness.py')
const sides = [
  { what: 'goes on', role: 'listener', port: 7200, statusPort: 9200 },
  { what: 'gave up because nothing was acknowledged', role: 'impatient', port: 7201, statusPort: 9201 },
  { what: 'was ended with a reset', role: 'abrupt', port: 7202, statusPort: 9202 },
  { what: 'was ended and closed it', role: 'listener', port: 7203, statusPort: 9203 },
] as const
const [alive, impatient, ...killed] = sides
const insidePort = 9204

type Status = { heard: number; errors: string[] }
let installation: TestInstallation
let thread: TestThread
let sandboxId: string
let peer: Neighbor
let last: SurvivalReport | undefined
const running = new Map<number, ChildProcess>()

beforeAll(async () => {
  peer = await addNeighbor({ subnet: 81, addresses: [peerAddress], address6: 'fd77:81::2' })
  installation = await startInstallation()
  thread = await installation.newThread()
  await thread.say('/run true')
  const { body } = await installation.host.request('GET', '/v1/sandboxes')
  sandboxId = (body as { sandboxes: { sandboxId: string }[] }).sandboxes[0]?.sandboxId ?? ''
  await inside(`cat > witness.py <<'END_OF_WITNESS'\n${await readFile(program, 'utf8')}END_OF_WITNESS`)
})
afterEach(endPeers)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await endPeers()
  await peer?.remove()
})

test.each(['RAM', 'disk'])(
  'A2: after a sleep, connections whose other side closed are reported lost, the others not (from %s)',
  async (from) => {
    const before = await connectAll()
    await installation.client.sandboxes.pause(thread.id)
    // Not earlier: on a busy machine even an awake sandbox does not always acknowledge within a second.
    run(`ip netns exec ${peer.namespace} curl -sf -X PUT localhost:${impatient.statusPort}`)
    if (from === 'disk') await installation.host.killSandbox(sandboxId)
    await vi.waitFor(() => expect(outside(impatient).errors).not.toEqual([]), { timeout: 30_000, interval: 200 })
    for (const { port } of killed) await end(port)
    await installation.client.sandboxes.wake(thread.id)
    const first = await reported()
    expect(first.from).toBe(from === 'disk' ? 'memory' : 'frozen')
    // The first check can precede the sandbox’s first packet; a later one completes the report.
    const report = await lostIn(first, [impatient, ...killed])
    // Open on this side: whether the other side kept it shows with the next data, so no more is claimed.
    expect(itemsOf(report, `${peerAddress}:${alive.port}`)).toMatchObject([
      { kind: 'connection', outcome: 'unchecked' },
    ])
    expect(report.counts.connection).toMatchObject({ lost: 3, unchecked: 1, kept: 2 })
    expect(itemsOf(report, 'tcp 127.0.0.1').map(({ outcome }) => outcome)).toEqual(['kept', 'kept'])
    for (const read of [() => status(alive.statusPort), async () => outside(alive)]) {
      const { heard } = await read()
      expect(heard).toBeGreaterThanOrEqual(before)
      await vi.waitFor(async () => expect((await read()).heard).toBeGreaterThan(heard), { timeout: 60_000 })
      expect((await read()).errors).toEqual([])
    }
    for (const { statusPort, what } of [impatient, ...killed]) {
      expect((await status(statusPort)).errors, what).not.toEqual([])
    }
    await inside('pkill -f witness.py')
  },
)

/** Starts all sides; returns the minimum of the numbers received when all of them flow. */
async function connectAll(): Promise<number> {
  for (const { role, port, statusPort } of sides) {
    const place = ['netns', 'exec', peer.namespace, 'python3', program]
    const args = [...place, role, String(statusPort), peerAddress, String(port)]
    running.set(port, spawn('ip', args, { stdio: 'ignore' }))
    await start(`caller ${statusPort} ${peerAddress} ${port}`)
  }
  await start(`tcp ${insidePort}`)
  const enough = 20
  await vi.waitFor(
    async () => {
      const ports = sides.map(({ statusPort }) => statusPort)
      // One query for all of them: each command in the sandbox takes time.
      const all = [...linesOf(await inside(ask(...ports, insidePort))).slice(0, ports.length), ...sides.map(outside)]
      for (const { heard, errors } of all)
        expect({ heard: heard >= enough, errors }).toEqual({ heard: true, errors: [] })
    },
    { timeout: 60_000, interval: 200 },
  )
  return enough
}

async function start(words: string): Promise<void> {
  await inside(`(nohup python3 witness.py ${words} >/dev/null 2>&1 &)`)
}

const ask = (...ports: number[]) =>
  `curl -s --max-time 20 -w '\\n' ${ports.map((port) => `localhost:${port}`).join(' ')}`
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Status)

/** What the sandbox’s side of a connection has received. */
async function status(statusPort: number): Promise<Status> {
  return JSON.parse(await inside(ask(statusPort))) as Status
}

function outside({ statusPort }: { statusPort: number }): Status {
  return JSON.parse(run(`ip netns exec ${peer.namespace} ${ask(statusPort)}`)) as Status
}

async function inside(command: string): Promise<string> {
  const { exitCode, output, message } = await installation.host.run(sandboxId, command)
  expect({ exitCode, output, message }, command).toMatchObject({ exitCode: 0 })
  return output
}

/** Kills one side on the other machine; its kernel then handles the connection. */
async function end(port: number): Promise<void> {
  const child = running.get(port)
  running.delete(port)
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function endPeers(): Promise<void> {
  for (const port of [...running.keys()]) await end(port)
}

function itemsOf(report: SurvivalReport, part: string) {
  return report.items.filter(({ kind, name }) => kind === 'connection' && name.includes(part))
}

/** The report as soon as it lists these connections as lost. */
function lostIn({ id }: SurvivalReport, sides: readonly { port: number; what: string }[]): Promise<SurvivalReport> {
  return vi.waitFor(
    async () => {
      const { latestReport } = await installation.client.sandboxes.get(thread.id)
      if (latestReport?.id !== id) throw new Error(`another report: ${latestReport?.id}`)
      for (const { port, what } of sides) {
        const items = itemsOf(latestReport, `${peerAddress}:${port}`)
        expect(items, what).toMatchObject([{ kind: 'connection', outcome: 'lost' }])
      }
      return latestReport
    },
    { timeout: 20_000, interval: 200 },
  )
}

/** The report of the newest wake, once the second check ran. */
function reported(): Promise<SurvivalReport> {
  return vi.waitFor(
    async () => {
      const { latestReport } = await installation.client.sandboxes.get(thread.id)
      if (latestReport === null || latestReport.id === last?.id || latestReport.status !== 'complete') {
        throw new Error(`no complete report: ${latestReport?.status}`)
      }
      last = latestReport
      return latestReport
    },
    { timeout: 40_000, interval: 200 },
  )
}
