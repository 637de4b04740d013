import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { claim, testRoot } from '@threadbox/testkit'

const probeProgram = fileURLToPath(new URL('./probe.pl', import.meta.url))
const lookupProgram = fileURLToPath(new URL('./lookup.pl', import.meta.url))
const hostProgram = fileURLToPath(new URL('./test-host.pl', import.meta.url))

export type Probe = {
  kind: 'tcp' | 'udp' | 'icmp' | 'frame'
  address: string
  port: number
  /** Where it starts: a namespace, or the machine itself. */
  from?: string
  /** For frames: their claimed source address, and their destination hardware address. */
  source?: string
  mac?: string
  /** An unprivileged user of the machine instead of root; `asUser` chooses which. */
  asNobody?: boolean
  asUser?: number
  /** Runs the attempt as root in a real sandbox. Takes a shell command, returns its output. */
  inside?: (command: string) => Promise<string>
}
export type ProbeResult = { isReached: boolean; said: string; token: string }

/** Tries to reach an address as a hostile process with all rights in its namespace would. */
export function probe(options: Probe): Promise<ProbeResult> {
  const token = `probe-${randomBytes(8).toString('hex')}`
  const { kind, address, port, from, source = '', mac = '', asNobody = false, inside: runInside } = options
  const userId = options.asUser ?? (asNobody ? nobody : undefined)
  if (runInside !== undefined) {
    const words = [kind, address, port, token, source, mac].map((word) => `'${word}'`).join(' ')
    return runInside(`perl ${probePathInside} ${words} 2>&1`).then((output) => {
      const said = output.trim()
      return { isReached: said === 'reached', said, token }
    })
  }
  const inside = from === undefined ? [] : ['ip', 'netns', 'exec', from]
  const user = userId === undefined ? [] : ['setpriv', '--reuid', `${userId}`, '--regid', `${userId}`, '--clear-groups']
  const [program = '', ...args] = [
    ...inside,
    ...user,
    'perl',
    // Not by its path: another user may not be able to read the checkout.
    '-e',
    readFileSync(probeProgram, 'utf8'),
    '--',
    kind,
    address,
    `${port}`,
    token,
    source,
    mac,
  ]
  return new Promise((resolve) => {
    execFile(program, args, (_error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim()
      resolve({ isReached: said === 'reached', said, token })
    })
  })
}

const nobody = 65_534

const probePathInside = '/tmp/probe.pl'

/** A shell command that installs a program of these tests where {@link Probe.inside} finds it. */
export async function installPrograms(): Promise<string> {
  const write = async (program: string, target: string) =>
    `echo ${(await readFile(program)).toString('base64')} | base64 -d > ${target}`
  return `${await write(probeProgram, probePathInside)} && ${await write(hostProgram, testHostPathInside)}`
}

export const testHostPathInside = '/tmp/test-host.pl'

/** Opens a TCP connection and keeps it; `speak` reports the result of sending something on it. */
export async function holdConnection(options: { from: string; address: string; port: number }) {
  const { from, address, port } = options
  const args = ['netns', 'exec', from, 'perl', probeProgram, 'hold', address, `${port}`, 'probe-held']
  const child = spawn('ip', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => (await lines.next()).value ?? 'ended'
  const first = await next()
  if (first !== 'connected') throw new Error(`the connection was not made: ${first}`)
  return {
    speak() {
      child.stdin.write('\n')
      return next()
    },
    close: () => void child.kill('SIGKILL'),
  }
}

/** A process that responds to every client, with a record of what it noticed. */
export type TestHost = {
  /** Whether a token arrived in any frame, or at any of its ports. */
  hasNoticed(token: string): boolean
  stop(): Promise<void>
}

export async function startTestHost(options: {
  namespace?: string
  ports: readonly number[]
  /** A UDP service on a wildcard address responds from the machine’s first address, whichever was used. */
  bind?: readonly string[]
  /** False for a machine that rules protect: frames are visible before any rule is applied, so they prove nothing. */
  noticesFrames?: boolean
}): Promise<TestHost> {
  const { namespace, ports, bind, noticesFrames = namespace !== undefined } = options
  const inside = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]
  const sniff = noticesFrames ? ['--sniff'] : []
  const binding = bind === undefined ? [] : ['--bind', bind.join(',')]
  const [program = '', ...args] = [...inside, 'perl', hostProgram, ...sniff, ...binding, ...ports.map(String)]
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const noticed = new Set<string>()
  const ready = Promise.withResolvers<void>()
  child.once('exit', () => ready.reject(new Error('the test host ended before it was ready')))
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') ready.resolve()
      else noticed.add(line.split(' ')[1] ?? '')
    })
  }
  await ready.promise
  return {
    hasNoticed: (token) => noticed.has(token),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A namespace with the addresses of other machines. Only this machine has routes to it. */
export type Neighbor = { namespace: string; gateway: string; first: string; remove(): Promise<void> }

/**
 * Adds a neighbor with the addresses 10.254.SUBNET.2, `addresses` and `address6`, which is in fd77:SUBNET::/64; the
 * machine is fd77:SUBNET::1. A subnet is used by one test at a time: waits for the test that uses it, and removes what a
 * killed test left, which would catch this test’s packets. No two subnets may share an address. The neighbor is the
 * gateway to `addresses`: machines on a link are denied to sandboxes.
 */
export async function addNeighbor(options: {
  subnet: number
  addresses: readonly string[]
  address6: string
  /** Addresses that are not behind the neighbor but on its link. */
  onLink?: readonly string[]
}): Promise<Neighbor> {
  const { subnet, addresses, address6, onLink = [] } = options
  const [gateway, first] = [`10.254.${subnet}.1`, `10.254.${subnet}.2`]
  const claimFile = path.join(testRoot, 'neighbors', String(subnet))
  await mkdir(path.dirname(claimFile), { recursive: true })
  while (!(await claim(claimFile))) await delay(claimRetryMs)
  const [name, link] = [`tbneighbor-${subnet}`, `tn${subnet}`]
  removeNeighbor(name, link)
  run(`ip netns add ${name}`)
  run(`ip link add ${link} type veth peer name eth0 netns ${name}`)
  run(`ip addr add ${gateway}/30 dev ${link} && ip link set ${link} up`)
  // A network of its own: with one network on two links, packets take either.
  run(`ip -6 addr add fd77:${subnet}::1/64 dev ${link} nodad`)
  run(`ip -n ${name} addr add ${first}/30 dev eth0 && ip -n ${name} link set eth0 up && ip -n ${name} link set lo up`)
  run(`ip -n ${name} route add default via ${gateway}`)
  run(`ip -n ${name} -6 addr add ${address6}/64 dev eth0 nodad`)
  for (const address of [...addresses, ...onLink]) run(`ip -n ${name} addr add ${address}/32 dev eth0`)
  for (const address of addresses) run(`ip route add ${address}/32 via ${first} dev ${link}`)
  for (const address of onLink) run(`ip route add ${address}/32 dev ${link}`)
  return {
    namespace: name,
    gateway,
    first,
    async remove() {
      removeNeighbor(name, link)
      await rm(claimFile, { force: true })
    },
  }
}

/** Interval between checks of a subnet that another test uses for some tens of seconds. */
const claimRetryMs = 200

function removeNeighbor(name: string, link: string): void {
  run(`ip link delete ${link} 2> /dev/null || true; ip netns pids ${name} 2> /dev/null | xargs -r kill -9`)
  run(`ip netns delete ${name} 2> /dev/null || true`)
}

/** Queries a DNS server from inside a namespace; the server can be in this process, so the query must not block it. */
export async function lookUp(options: { from: string; server: string; name: string }): Promise<string> {
  const { from, server, name } = options
  const { stdout } = await promisify(execFile)('ip', ['netns', 'exec', from, 'perl', lookupProgram, server, name])
  return stdout.trim()
}

/** Runs a shell command that the test wrote, and returns its output. */
export function run(command: string): string {
  return execFileSync('sh', ['-ec', command], { encoding: 'utf8', stdio: 'pipe' })
}
