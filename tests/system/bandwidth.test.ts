import { randomBytes } from 'node:crypto'
import { prepareFreePool, type SandboxNetwork } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProgramInNamespace, startProgramIn } from '../stack/program-in-namespace.ts'
import { addNeighbor } from './isolation/test-machine.ts'

const publicAddress = '198.51.100.79'
const port = 8125
const bytesPerSecond = 8 * 1024 * 1024
const sentBytes = 32 * 1024 * 1024

/** Connects or listens, sends or receives, and prints how many bytes came and in how many milliseconds. */
const program = `
  const net = require('node:net')
  const [role, job, address, port, bytes] = process.argv.slice(1)
  const run = (socket) => {
    const startedAt = performance.now()
    let received = 0
    if (job === 'send') socket.end(Buffer.alloc(Number(bytes)))
    socket.on('data', (data) => (received += data.length))
    socket.on('end', () => {
      if (job === 'receive') console.log(JSON.stringify({ received, ms: performance.now() - startedAt }))
      socket.end()
      process.exitCode = 0
    })
  }
  if (role === 'connect') run(net.connect({ host: address, port: Number(port) }).on('error', (e) => console.log(String(e))))
  else net.createServer({ allowHalfOpen: true }, run).listen(Number(port), address, () => console.log('ready'))
`

const stack = new AsyncDisposableStack()
let network: SandboxNetwork
let neighbor: string

beforeAll(async () => {
  const lan = await addNeighbor({ subnet: 79, addresses: [publicAddress], address6: 'fd77:79::2' })
  stack.defer(() => lan.remove())
  neighbor = lan.namespace
  const logger = makeLogger({ process: 'test', level: 'silent' })
  const installation = `tw${randomBytes(2).toString('hex')}`
  const made = await prepareFreePool({ installation, logger, firewall: { bytesPerSecond } })
  stack.defer(() => made.network.close())
  network = made.network
})
afterAll(() => stack.disposeAsync())

test.each([
  { way: 'sends', inside: 'send', outside: 'receive' },
  { way: 'receives', inside: 'receive', outside: 'send' },
])('a sandbox $way no faster than its rate, and another one has a rate of its own', async ({ inside, outside }) => {
  const addresses = [...network.addresses()]
  const transfers = ['one', 'two'].map(async (name, index) => {
    const sandboxId = `${name}-${inside}`
    const { namespacePath } = await network.attach({ sandboxId, address: addresses[index]!, egress: { kind: 'open' } })
    const ownPort = port + index
    const server = start(neighbor, ['listen', outside, publicAddress, ownPort, sentBytes])
    expect(await server.next()).toBe('ready')
    const client = start(namespacePath.split('/').at(-1)!, ['connect', inside, publicAddress, ownPort, sentBytes])
    const line = await (inside === 'receive' ? client : server).next()
    await server.stop()
    await network.detach(sandboxId)
    return JSON.parse(line) as { received: number; ms: number }
  })
  for (const { received, ms } of await Promise.all(transfers)) {
    expect(received).toBe(sentBytes)
    // The bucket holds one second at the start. It holds on any machine: a slow one takes longer.
    expect(received).toBeLessThanOrEqual((bytesPerSecond * (ms + 1000)) / 1000 + 1024 * 1024)
    console.log(`${inside}: ${(received / ms / 1048.576).toFixed(1)} MiB/s of ${bytesPerSecond / 1024 / 1024} MiB/s`)
  }
})

function start(namespace: string, args: (string | number)[]): ProgramInNamespace {
  const started = startProgramIn(namespace, ['-e', program, '--', ...args.map(String)])
  stack.defer(started.stop)
  return started
}
