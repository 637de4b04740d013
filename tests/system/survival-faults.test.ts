import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient, type SurvivalItem, type SurvivalReport, type ThreadboxClient } from '@threadbox/sdk'
import { startTestHost, startTestServer, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestThread, testThread } from '../stack/installation.ts'
import { addNeighbor } from './isolation/test-machine.ts'
import { faultsOf } from './survival-faults/faults.ts'
import { type HeldWire, startHeldWire } from './survival-faults/held-wire.ts'
import * as prepared from './survival-faults/prepared.ts'

/**
 * Faults that no manifest can foresee, caused for real in a sandbox that has everything twice: between its wake and the
 * server’s second check, which the wire delays until then, and on its disk while it sleeps. Every item with a fault is
 * reported lost by name, its untouched twin is kept.
 */
const peerAddress = '198.51.100.79'
const [base, peerPorts] = [9100, [7101, 7102]]
const cleanup = new AsyncDisposableStack()
let host: TestHost
let wire: HeldWire
let client: ThreadboxClient
let thread: TestThread
let sandboxId: string
let peers: ChildProcess[]
let last: SurvivalReport | undefined
const faults = faultsOf({ base, peers: peerPorts })
/** Requests of the server for its second check after a wake. */
const secondLook = /\/file-changes$|\/guest\/manifest\?/

beforeAll(async () => {
  host = await startTestHost()
  cleanup.defer(() => host.close())
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-wire-'))
  cleanup.defer(() => rm(directory, { recursive: true }))
  wire = await startHeldWire({ socketPath: path.join(directory, 'wire'), host })
  cleanup.use(wire)
  const server = await startTestServer({ host, environment: wire.environment })
  cleanup.defer(() => server.close())
  client = createClient({ baseUrl: server.loopbackOrigin, apiKey: server.apiKey })
  const neighbor = await addNeighbor({ subnet: 79, addresses: [peerAddress], address6: 'fd77:79::2' })
  cleanup.defer(() => neighbor.remove())
  peers = await Promise.all(peerPorts.map((port) => startPeer(neighbor.namespace, port)))
  cleanup.defer(() => void peers.map((peer) => peer.kill('SIGKILL')))
  await prepare()
})
afterAll(() => cleanup.disposeAsync())

test('C6: everything untouched is reported kept', async () => {
  await client.sandboxes.pause(thread.id)
  await client.sandboxes.wake(thread.id)
  const report = await reported()
  expect(report.from).toBe('frozen')
  const outside = report.items.filter(({ name }) => name.includes(peerAddress))
  expect(outside.map(({ outcome }) => outcome)).toEqual(['unchecked', 'unchecked'])
  expect(report.items.filter((item) => item.outcome !== 'kept' && !outside.includes(item))).toEqual([])
  const kept = named(report, 'kept')
  const listed = faults.filter(
    ({ victim }) => !victim.source.includes(String(peerPorts[0])) && !/home/.test(victim.source),
  )
  for (const { victim, twin } of listed) {
    expect(kept.filter((name) => victim.test(name))).not.toEqual([])
    expect(kept.filter((name) => twin.test(name))).not.toEqual([])
  }
})

test(`C6 G10: ${faults.length} faults between the pause and the second check are each reported lost, their untouched twins kept`, async () => {
  await client.sandboxes.pause(thread.id)
  await rm(disk('home/user/taken-from-disk.txt'))
  wire.hold(secondLook)
  const waking = client.sandboxes.wake(thread.id)
  await wire.held()
  await run(prepared.systemFaults)
  await run(`pkill -KILL -f 'http.server ${base + 201}'`)
  await tell('one', prepared.puppetFaults(base))
  await cell(prepared.variableFaults)
  peers[0]?.kill('SIGKILL')
  await run(prepared.shellFaults)
  wire.release()
  await waking
  const report = await reported()
  const [lost, kept] = [named(report, 'lost'), named(report, 'kept')]
  const found = (names: string[], pattern: RegExp) => names.some((name) => pattern.test(name))
  for (const { what, victim, twin } of faults) {
    const seen = [found(lost, victim), found(kept, victim), found(lost, twin), found(kept, twin)]
    expect(seen, `${what}: ${victim} lost and not kept, ${twin} kept and not lost`).toEqual([true, false, false, true])
  }
  for (const { reason } of report.items.filter(({ outcome }) => outcome !== 'kept')) expect(reason).not.toBe('')
  expect(named(report, 'restarted')).toEqual(['process sleep 1003'])
  // The other end of the closed one cannot be identified, so none of them is claimed.
  expect(lost.filter((name) => name.startsWith('connection unix'))).toHaveLength(1)
  expect(kept.filter((name) => name.startsWith('connection unix'))).toEqual([])
  // An object of 32 MiB of which one byte was changed: only its identity is claimed.
  const huge = report.items.find(({ name }) => name === 'huge')
  expect(huge).toMatchObject({ outcome: 'kept', reason: 'Same object; its contents weren’t compared.' })
})

test('C6: what happens after the second check is not in the report, which says when that was', async () => {
  const report = last
  await run('pkill -KILL -f "sleep 1004"')
  const after = (await client.sandboxes.get(thread.id)).latestReport
  expect(after).toEqual(report)
  expect(after?.items).toContainEqual(expect.objectContaining({ name: 'sleep 1004', outcome: 'kept' }))
  expect(after?.checkedAt).toBeGreaterThanOrEqual(after?.wokenAt ?? Number.NaN)
  expect(after?.checkedAt).toBeLessThan(Date.now())
})

test('C6: if the second check gets no response, nothing is called kept', async () => {
  await client.sandboxes.pause(thread.id)
  wire.lose(secondLook)
  await client.sandboxes.wake(thread.id)
  const report = await reported()
  wire.lose(undefined)
  expect(report.items.map(({ outcome, name }) => `${outcome} ${name}`)).toEqual([
    'unchecked everything that was running',
    'unchecked files on the disk',
  ])
})

test('A3: what is removed from the disk of a cold sandbox is reported lost after its start', async () => {
  await run('echo 1 > ~/taken-when-cold.txt')
  await client.sandboxes.change(thread.id, { policy: { hotKeep: 'strict', hotHours: 0 } })
  await client.sandboxes.pause(thread.id)
  const state = async () => (await client.threads.get(thread.id)).sandbox.state
  await vi.waitFor(async () => expect(await state()).toBe('cold'), { timeout: 60_000, interval: 200 })
  await rm(disk('home/user/taken-when-cold.txt'))
  await rm(disk('opt/node/lib/node_modules/keptnpm'), { recursive: true })
  await client.sandboxes.wake(thread.id)
  // Saved variables are restored on request; until then the report stays open.
  await cell('kept')
  const report = await reported()
  const [lost, kept] = [named(report, 'lost'), named(report, 'kept')]
  expect(lost).toEqual(expect.arrayContaining(['file /home/user/taken-when-cold.txt', 'package keptnpm']))
  expect(lost).toEqual(expect.arrayContaining(['file /dev/shm/kept', 'process python3 puppet.py two']))
  expect(kept).toEqual(expect.arrayContaining(['package keptuv', 'package keptapt', 'environment KEPT']))
})

async function prepare(): Promise<void> {
  thread = testThread(client, (await client.threads.create({})).id)
  await thread.say('/run true')
  const { body } = await host.request('GET', '/v1/sandboxes')
  sandboxId = (body as { sandboxes: { sandboxId: string }[] }).sandboxes[0]?.sandboxId ?? ''
  const puppet = await readFile(path.join(import.meta.dirname, 'survival-faults/puppet.py'), 'utf8')
  await run(`cat > puppet.py <<'END_OF_PUPPET'\n${puppet}END_OF_PUPPET`)
  await startServices({ web: base + 201, kept: base + 202 })
  await run(prepared.programs)
  const outside = `outside = [socket.create_connection((${JSON.stringify(peerAddress)}, port)) for port in [${peerPorts}]]`
  await tell('one', `${prepared.held(base)}\n${outside}`)
  await tell('two', prepared.held(base + 100))
  await run(prepared.packages)
  await run(prepared.files)
  await run(prepared.shell)
  await cell(prepared.variables)
}

async function startServices(ports: Record<string, number>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    const command = `exec python3 -m http.server ${port} --bind 127.0.0.1`
    await client.services.start(thread.id, { name, command, port })
  }
  await vi.waitFor(
    async () => {
      const { services } = await client.services.list(thread.id)
      expect(services.map(({ status }) => status)).toEqual(['running', 'running'])
    },
    { timeout: 60_000, interval: 100 },
  )
}

/** A program on another machine that accepts one connection and sends nothing. */
async function startPeer(namespace: string, port: number): Promise<ChildProcess> {
  const program = `import socket, time
listener = socket.create_server((${JSON.stringify(peerAddress)}, ${port})); print("up", flush=True)
accepted = listener.accept(); time.sleep(3600)`
  const peer = spawn('ip', ['netns', 'exec', namespace, 'python3', '-c', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(peer.stdout ?? peer, 'data')
  return peer
}

async function run(command: string): Promise<string> {
  const { exitCode, output, message } = await host.run(sandboxId, command)
  expect({ exitCode, output, message }, command).toMatchObject({ exitCode: 0 })
  return output
}

/** Has a puppet execute Python. */
async function tell(name: string, code: string): Promise<void> {
  await run(`(cd ~; python3 puppet.py ${name} --tell) <<'END_OF_ORDER'\n${code}\nEND_OF_ORDER`)
}

let cells = 0
async function cell(code: string): Promise<void> {
  const key = `cell-${++cells}`
  await host.runs(sandboxId).startCell({ key, code })
  for await (const { event } of host.runs(sandboxId).read({ key })) {
    if (event.case === 'ended') expect(event.value.traceback || event.value.message).toBe('')
  }
}

/** The report of the newest wake, once the second check ran. */
function reported(): Promise<SurvivalReport> {
  return vi.waitFor(
    async () => {
      const { latestReport } = await client.sandboxes.get(thread.id)
      if (latestReport === null || latestReport.id === last?.id || latestReport.status !== 'complete') {
        throw new Error(`no complete report: ${latestReport?.status}`)
      }
      last = latestReport
      return latestReport
    },
    { timeout: 40_000, interval: 100 },
  )
}

function named(report: SurvivalReport, outcome: SurvivalItem['outcome']): string[] {
  return report.items.filter((item) => item.outcome === outcome).map(({ kind, name }) => `${kind} ${name}`)
}

/** A file of the sandbox as seen from the host. */
function disk(file: string): string {
  return path.join(host.diskDirectory, 'pool/disks', sandboxId, 'root', file)
}
