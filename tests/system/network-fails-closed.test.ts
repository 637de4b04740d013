import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { type TestHost as HostDaemon, startTestHost as startHostDaemon } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addNeighbor,
  installPrograms,
  type Probe,
  probe,
  run,
  startTestHost,
  type TestHost,
} from './isolation/test-machine.ts'

const MiB = 1024 * 1024
const port = 8143
const publicAddress = '198.51.100.82'
const onLinkAddress = '198.51.100.83'
const ownPublicAddress = '198.51.100.84'
const privateAddresses = [
  '10.254.83.2',
  '172.20.83.2',
  '192.168.83.2',
  '100.100.83.2',
  '169.254.83.2',
  '169.254.169.254',
  '192.0.0.193',
  '192.0.2.83',
  '198.19.253.2',
  '240.0.83.2',
  '168.63.129.16',
]
const mailPorts = [25, 465, 587]
const machine = 'tbmachine-83'
const inMachine = `ip netns exec ${machine}`

/**
 * The whole installation runs in a namespace that plays the machine, so that its rules can be removed. In the sandbox, a
 * program tries every target again and again, also while no daemon runs that could ask it to.
 */
describe('a machine without its rules and daemons', () => {
  const stack = new AsyncDisposableStack()
  let daemon: HostDaemon
  let neighbor: TestHost
  let services: TestHost
  let sandbox: { sandboxId: string; bootId: string; address: string }
  let other: typeof sandbox
  let targets: Target[]

  beforeAll(async () => {
    const lan = await addNeighbor({ subnet: 83, addresses: [], address6: 'fd77:83::2' })
    stack.defer(() => lan.remove())
    run(`ip netns delete ${machine} 2> /dev/null || true; ip netns add ${machine}`)
    stack.defer(() => void run(`ip netns delete ${machine} 2> /dev/null || true`))
    // The neighbor is beside the machine that is played, not beside the real one.
    run(`ip link set tn83 netns ${machine}`)
    run(`ip -n ${machine} link set lo up && ip -n ${machine} link set tn83 up`)
    run(
      `ip -n ${machine} addr add 10.254.83.1/30 dev tn83 && ip -n ${machine} addr add ${ownPublicAddress}/32 dev tn83`,
    )
    run(`ip -n ${machine} -6 addr add fd77:83::1/64 dev tn83 nodad`)
    run(`ip -n ${machine} route add default via 10.254.83.2 && ip -n ${machine} route add ${onLinkAddress}/32 dev tn83`)
    for (const address of [...privateAddresses.slice(1), publicAddress, onLinkAddress]) {
      run(`ip -n ${lan.namespace} addr add ${address}/32 dev eth0`)
    }
    neighbor = await startOne({
      namespace: lan.namespace,
      ports: [port, ...mailPorts],
      bind: [...privateAddresses, publicAddress, onLinkAddress, 'fd77:83::2'],
    })
    services = await startOne({ namespace: machine, ports: [port], noticesFrames: false })
    daemon = await startHostDaemon({ enter: ['nsenter', `--net=/run/netns/${machine}`, '--'] })
    stack.defer(() => daemon.close())
    sandbox = await start()
    other = await start()
    const machineEnd = sandbox.address.replace(/\d+$/, '2')
    targets = [
      ...[...privateAddresses, onLinkAddress, 'fd77:83::2'].map((address) => ({ address, port })),
      ...mailPorts.map((mail) => ({ address: publicAddress, port: mail })),
      ...['10.254.83.1', ownPublicAddress, machineEnd, sandbox.address.replace(/\d+$/, '1'), 'fd77:83::1'].map(
        (address) => ({
          address,
          port,
        }),
      ),
      ...privateAddresses.slice(0, 4).map((address) => ({ address, port, kind: 'udp' as const })),
      { address: other.address, port, from: `tbr-${daemon.installation}`, asUser: 65_533 },
    ]
    const serve = `cd /tmp && setsid perl test-host.pl ${port} > log 2>&1 < /dev/null & until grep -q ready /tmp/log; do sleep 0.1; done`
    await daemon.run(other.sandboxId, `echo ${Buffer.from(serve).toString('base64')} | base64 -d | sudo bash`)
  })
  afterAll(() => stack.disposeAsync())

  test('C9: each of these targets responds without the guard', async () => {
    expect(targets.length).toBeGreaterThanOrEqual(25)
    for (const { kind = 'tcp', from = machine, ...target } of [
      ...targets,
      { address: publicAddress, port },
    ] as Target[]) {
      expect(await probe({ kind, from, ...target }), JSON.stringify(target)).toMatchObject({ said: 'reached' })
    }
  })

  test('C9: no process with rights parses what a guest sends: the gateway has no capability, and only the router', async () => {
    const pid = await daemon.gatewayPid()
    const status = run(`cat /proc/${pid}/status`)
    expect(status).toMatch(/^Uid:\s+65533\s+65533\s+65533\s+65533$/m)
    expect(status).toMatch(/^Gid:\s+65533\s+65533\s+65533\s+65533$/m)
    expect(status).toMatch(/^Groups:\s*$/m)
    for (const set of ['Inh', 'Prm', 'Eff', 'Amb'])
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0000000000000000$`, 'm'))
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    const inode = (file: string) => run(`stat -L -c %i ${file}`).trim()
    expect(inode(`/proc/${pid}/ns/net`)).toBe(inode(`/run/netns/tbr-${daemon.installation}`))
    const outside: Probe = {
      kind: 'tcp',
      address: publicAddress,
      port,
      from: `tbr-${daemon.installation}`,
      asUser: 65_533,
    }
    expect(await probe(outside), 'the gateway to the internet').toMatchObject({ isReached: false })
    expect(await probe({ ...outside, address: ownPublicAddress }), 'the gateway to the machine').toMatchObject({
      isReached: false,
    })
  })

  test('C9: no process with rights parses what a sandbox asks: the DNS process has a user of its own and no capability', async () => {
    const status = run(`cat /proc/${await daemon.namesPid()}/status`)
    expect(status).toMatch(/^Uid:\s+65532\s+65532\s+65532\s+65532$/m)
    expect(status).toMatch(/^Gid:\s+65532\s+65532\s+65532\s+65532$/m)
    for (const set of ['Inh', 'Prm', 'Eff', 'Amb'])
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0000000000000000$`, 'm'))
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  })

  test('C9: no process with rights relays what a sandbox sends: egress has a user of its own, no capability, and only the router', async () => {
    const pid = await daemon.egressPid()
    const status = run(`cat /proc/${pid}/status`)
    for (const id of ['Uid', 'Gid']) expect(status).toMatch(new RegExp(`^${id}:(\\s+65531){4}$`, 'm'))
    for (const set of ['Inh', 'Prm', 'Eff', 'Amb'])
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0000000000000000$`, 'm'))
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    const inode = (file: string) => run(`stat -L -c %i ${file}`).trim()
    expect(inode(`/proc/${pid}/ns/net`)).toBe(inode(`/run/netns/tbr-${daemon.installation}`))
  })

  test('C9: a connection of a sandbox outlives a killed daemon and gateway', async () => {
    const hold = `sleep 600 > /tmp/in & exec perl /tmp/probe.pl hold ${publicAddress} ${port} held < /tmp/in > /tmp/out`
    await daemon.run(sandbox.sandboxId, `mkfifo /tmp/in; setsid bash -c '${hold}' > /dev/null 2>&1 < /dev/null &`)
    const said = async () => (await daemon.run(sandbox.sandboxId, 'cat /tmp/out')).output.trim().split('\n')
    await expect.poll(said, { timeout: 20_000 }).toEqual(['connected'])
    const gateway = await daemon.gatewayPid()
    await daemon.kill('SIGKILL')
    await daemon.restart()
    expect(await daemon.gatewayPid()).not.toBe(gateway)
    await daemon.run(sandbox.sandboxId, 'echo > /tmp/in')
    await expect.poll(said, { timeout: 20_000 }).toEqual(['connected', 'reached'])
  })

  test('C9: with the daemon and its processes killed and all rules of the machine removed, no target responds to a sandbox', async () => {
    await keepTrying()
    await untilRounds(1, 0)
    const children = [await daemon.gatewayPid(), await daemon.namesPid(), await daemon.egressPid()]
    await daemon.kill('SIGKILL')
    for (const pid of children)
      await expect.poll(() => run(`kill -0 ${pid} 2> /dev/null && echo runs || true`)).toBe('')
    run(`${inMachine} nft flush ruleset`)
    expect(run(`${inMachine} nft list ruleset`).trim()).toBe('')
    const since = Date.now()
    // What it tries takes two seconds; this is the only wait, because nothing outside sees a round.
    await delay(12_000)
    run(`${inMachine} nft flush ruleset`)
    await daemon.restart()
    const results = await untilRounds(2, since)
    expect(results.filter(({ said }) => said === 'reached')).toEqual([])
    expect(new Set(results.map(({ target }) => target)).size).toBe(targets.length)
    for (const target of targets.keys()) {
      expect(neighbor.hasNoticed(tokenOf(target)) || services.hasNoticed(tokenOf(target)), `${target}`).toBe(false)
    }
    const { body } = await daemon.request('GET', hostPaths.get(sandbox.sandboxId))
    expect(body).toMatchObject({ actual: 'ready', bootId: sandbox.bootId })
    const reaches = `perl /tmp/probe.pl tcp ${publicAddress} ${port} control`
    expect((await daemon.run(sandbox.sandboxId, reaches)).output.trim()).toBe('reached')
  })

  test('C9: without the router no packet leaves, and the checks of the machine say why', async () => {
    const checks = async () => ((await daemon.request('GET', hostPaths.doctor())).body as { checks: Check[] }).checks
    expect((await checks()).find(({ id }) => id === 'nftables')).toMatchObject({ code: 'nftables-fine' })
    run(`ip -n ${machine} link delete tb${daemon.installation}uplink`)
    run(`umount --lazy /run/threadbox/tbr-${daemon.installation}; ip netns delete tbr-${daemon.installation}`)
    const failing = `perl /tmp/probe.pl tcp ${publicAddress} ${port} alone || true`
    expect((await daemon.run(sandbox.sandboxId, failing)).output.trim()).not.toBe('reached')
    expect(neighbor.hasNoticed('alone')).toBe(false)
    expect((await checks()).find(({ id }) => id === 'nftables')).toMatchObject({ code: 'router-missing' })
  })

  type Target = Pick<Probe, 'address' | 'port' | 'from' | 'asUser'> & { kind?: Probe['kind'] }
  type Check = { id: string; code: string }

  function tokenOf(target: number): string {
    return `closed-${target}-end`
  }

  async function keepTrying() {
    const attempts = targets.map(
      ({ kind = 'tcp', address, port: at }, target) =>
        `( echo "$(date +%s%3N) ${target} $(perl /tmp/probe.pl ${kind} ${address} ${at} ${tokenOf(target)} 2>&1 | head -1)" >> /tmp/tried ) &`,
    )
    const script = `while :; do\n${attempts.join('\n')}\nwait\necho round >> /tmp/tried\ndone`
    const file = Buffer.from(script).toString('base64')
    await daemon.run(
      sandbox.sandboxId,
      `echo ${file} | base64 -d > /tmp/try.sh; setsid bash /tmp/try.sh > /dev/null 2>&1 < /dev/null &`,
    )
  }

  /** Resolves with every result since then, once so many rounds have been made since. */
  async function untilRounds(rounds: number, since: number): Promise<{ target: string; said: string }[]> {
    for (;;) {
      const lines = (await daemon.run(sandbox.sandboxId, 'cat /tmp/tried 2> /dev/null')).output.trim().split('\n')
      const first = lines.findIndex((line) => Number(line.split(' ')[0]) >= since)
      const later = first < 0 ? [] : lines.slice(first)
      if (later.filter((line) => line === 'round').length >= rounds) {
        return later
          .filter((line) => line !== 'round')
          .map((line) => {
            const [, target = '', ...said] = line.split(' ')
            return { target, said: said.join(' ') }
          })
      }
      await delay(200)
    }
  }

  async function start() {
    const [sandboxId, bootId] = [daemon.newSandboxId(), daemon.newBootId()]
    const limits = { memoryBytes: 512 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB }
    await daemon.request('PUT', hostPaths.get(sandboxId), { limits, egress: { kind: 'open' } })
    const started = await daemon.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
    expect(started).toMatchObject({ status: 200, body: { actual: 'ready' } })
    await daemon.run(sandboxId, await installPrograms())
    const shown = JSON.parse(run(`ip -n tbr-${daemon.installation} -json -details addr show`)) as Link[]
    const gateway = shown.find(({ ifalias }) => ifalias === sandboxId)?.addr_info[0]?.local ?? ''
    return { sandboxId, bootId, address: gateway.replace(/\d+$/, (last) => String(Number(last) + 1)) }
  }
  type Link = { ifalias?: string; addr_info: { local: string }[] }

  async function startOne(options: Parameters<typeof startTestHost>[0]) {
    const host = await startTestHost(options)
    stack.defer(() => host.stop())
    return host
  }
})
