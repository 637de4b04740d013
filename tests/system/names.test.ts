import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { prepareFreePool, type SandboxNetwork } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgramIn } from '../stack/program-in-namespace.ts'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import { lookUp, run } from './isolation/test-machine.ts'

const publicAddress = '198.51.100.77'
const [userId, groupId] = [64_532, 64_531]

/**
 * Sends a question every few milliseconds, each from its own socket, until some were answered after the first that was
 * refused. Of those sent after it, prints how many were refused, were answered, and got neither in two seconds.
 */
const asker = `
  const { createSocket } = require('node:dgram')
  const head = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  const question = Buffer.concat([head, Buffer.from('\\x06public\\x04test\\x00', 'latin1'), Buffer.from([0, 1, 0, 1])])
  const counts = { refused: 0, answered: 0, lost: 0 }
  const waiting = []
  const ask = () => new Promise((resolve) => {
    const socket = createSocket('udp4')
    const end = (what) => { clearTimeout(timer); socket.removeAllListeners('error').on('error', () => {}).close(); resolve(what) }
    const timer = setTimeout(() => end('lost'), 2000)
    socket.once('message', () => end('answered')).once('error', () => end('refused'))
    socket.connect(53, process.argv[1], () => socket.send(question))
  })
  let isAway = false
  console.log('ready')
  const main = async () => {
    while (counts.answered < 10) {
      const counted = isAway
      waiting.push(ask().then((what) => {
        if (counted) counts[what] += 1
        isAway ||= what === 'refused'
      }))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await Promise.all(waiting)
    console.log(JSON.stringify(counts))
  }
  main()
`

/** The process that answers what sandboxes ask, with a name server on the machine’s loopback address. */
describe('the DNS process', () => {
  const installation = `tn${randomBytes(2).toString('hex')}`
  const stack = new AsyncDisposableStack()
  let network: SandboxNetwork
  const boxes: { namespace: string; gateway: string }[] = []

  beforeAll(async () => {
    const nameServer = await startRebindingNameServer()
    stack.defer(() => nameServer.close())
    const made = await prepareFreePool({
      installation,
      logger: makeLogger({ process: 'test', level: 'silent' }),
      nameServers: [{ address: '127.0.0.1', port: nameServer.port }],
      namesEnvironment: { THREADBOX_NAMES_UID: `${userId}`, THREADBOX_NAMES_GID: `${groupId}` },
    })
    network = made.network
    stack.defer(() => network.close())
    const policies = [{ kind: 'open' }, { kind: 'allowlist', names: ['other.test'] }] as const
    const addresses = [...network.addresses()]
    for (const [index, egress] of policies.entries()) {
      const address = addresses[index] ?? ''
      const attached = await network.attach({ sandboxId: egress.kind, address, egress })
      const namespace = attached.namespacePath.split('/').pop() ?? ''
      boxes.push({ namespace, gateway: attached.gatewayAddress })
    }
  })
  afterAll(() => stack.disposeAsync())

  test('C9: it has a user of its own and no capability, and asks from the machine’s network', async () => {
    const pid = await pidOf()
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    expect(status).toMatch(new RegExp(`^Uid:\\s+${userId}\\s+${userId}\\s+${userId}\\s+${userId}$`, 'm'))
    expect(status).toMatch(new RegExp(`^Gid:\\s+${groupId}\\s+${groupId}\\s+${groupId}\\s+${groupId}$`, 'm'))
    expect(status).toMatch(/^Groups:\s*$/m)
    for (const set of ['Inh', 'Prm', 'Eff', 'Amb']) {
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0000000000000000$`, 'm'))
    }
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    const namespaceOf = (of: number | 'self') => run(`readlink /proc/${of}/ns/net`)
    expect(namespaceOf(pid)).toBe(namespaceOf('self'))
    const listening = run(`ip netns exec tbr-${installation} ss -lntuH`).trim().split('\n')
    expect(listening.map((line) => line.split(/\s+/)[4])).toEqual([
      `${addressOfRouter()}:53`,
      `${addressOfRouter()}:53`,
    ])
  })

  test('names resolve again after it was killed, by the same policies', async () => {
    const [open, listed] = boxes
    expect(await ask(open)).toBe(publicAddress)
    expect(await ask(listed)).toBe('no address')
    const killed = await pidOf()
    process.kill(killed, 'SIGKILL')
    const killedAt = performance.now()
    await untilAnswered(open)
    console.log(`names resolved again ${Math.round(performance.now() - killedAt)} ms after the DNS process was killed`)
    expect(await pidOf()).not.toBe(killed)
    expect(await ask(listed)).toBe('no address')
    expect(network.namesRefused('allowlist', 0)?.names).toMatchObject([{ name: 'public.test', count: 2 }])
    expect(network.namesAsked('open', 0)?.names).toMatchObject([{ name: 'public.test' }])
  })

  test('a question that is accepted while it restarts is answered, and not left to the client’s time limit', async () => {
    const asking = startProgramIn(boxes[0]?.namespace ?? '', ['-e', asker, '--', boxes[0]?.gateway ?? ''])
    const { refused, answered, lost } = await asking.next().then(async () => {
      process.kill(await pidOf(), 'SIGKILL')
      return JSON.parse(await asking.next())
    })
    console.log(`${refused} questions were refused, ${answered} answered, ${lost} lost`)
    expect(lost).toBe(0)
    expect(Math.min(refused, answered)).toBeGreaterThan(0)
  })

  test('a policy that changes while it is away applies to the first answer after that', async () => {
    const [open] = boxes
    process.kill(await pidOf(), 'SIGKILL')
    await network.setEgress({ sandboxId: 'open', egress: { kind: 'none' } })
    expect(await untilAnswered(open)).toBe('no address')
    expect(await ask(open)).toBe('no address')
    await network.setEgress({ sandboxId: 'open', egress: { kind: 'open' } })
    expect(await ask(open)).toBe(publicAddress)
  })

  test('it ends with what started it', async () => {
    const pid = await pidOf()
    await network.stop()
    expect(run(`kill -0 ${pid} 2> /dev/null && echo runs || true`)).toBe('')
  })

  /** `no response` if none comes. */
  async function ask(box: (typeof boxes)[number] | undefined): Promise<string> {
    const { namespace: from = '', gateway: server = '' } = box ?? {}
    return await lookUp({ from, server, name: 'public.test' }).catch(() => 'no response')
  }

  /** Asks again and again, without waiting for a question that is lost; returns the first answer. */
  async function untilAnswered(box: (typeof boxes)[number] | undefined): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const again = setInterval(() => {
      void ask(box).then((answer) => answer !== 'no response' && resolve(answer))
    }, 50)
    return await promise.finally(() => clearInterval(again))
  }

  async function pidOf(): Promise<number> {
    const found = () => run(`pgrep --parent ${process.pid} --full '/names/.* ${addressOfRouter()}( |$)' || true`).trim()
    await expect.poll(found, { timeout: 10_000 }).toMatch(/^\d+$/)
    return Number(found())
  }

  function addressOfRouter(): string {
    return /inet ([\d.]+)/.exec(run(`ip -n tbr-${installation} addr show dev uplink`))?.[1] ?? ''
  }
})
