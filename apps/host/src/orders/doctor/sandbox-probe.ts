import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import type { HostApi, HostDoctor } from '@threadbox/protocol/host'
import { type ActiveBoot, type ActiveBoots, guestOf } from '../../boots/launch/active-boots.ts'
import { type Finding, findingOf, findingWith, type Values } from './findings.ts'

export type ProbePorts = {
  orders: Pick<HostApi, 'ensure' | 'start' | 'delete'>
  active: Pick<ActiveBoots, 'find'>
  gateway: Pick<GatewayApi, 'run'>
  /** URL to fetch from inside; empty: the package index. */
  doctorUrl: string
  randomBytes: (count: number) => Buffer
  clock: () => number
}

/** For a start on a busy machine, and a network that is slow but works. */
const commandTimeoutMs = 20_000

/** Starts its own sandbox, checks the network from inside it, and deletes it again. */
export async function probeSandbox(ports: ProbePorts): Promise<HostDoctor['checks']> {
  const { orders, randomBytes, clock } = ports
  const sandboxId = makeId('sandbox', randomBytes)
  const order = { bootId: makeId('boot', randomBytes), hostname: 'doctor' }
  const startedAt = clock()
  try {
    await orders.ensure(sandboxId, { limits: defaultSandboxLimits, egress: { kind: 'open' } })
    await orders.start(sandboxId, order)
    const durationMs = clock() - startedAt
    const boot = ports.active.find(sandboxId)
    if (boot === undefined) return withoutSandbox(findingWith('failed', 'sandbox-ended-early'))
    const network = await probeNetwork(ports, boot)
    return [
      { ...sandboxCheck, ...findingWith('ok', 'sandbox-fine', { durationMs }) },
      { ...networkCheck, ...network },
    ]
  } catch (error) {
    return withoutSandbox(findingOf(error))
  } finally {
    await orders.delete(sandboxId)
  }
}

const sandboxCheck = { id: 'sandbox', title: 'starting a sandbox' }
const networkCheck = { id: 'sandbox-network', title: 'DNS, routing and certificates in a sandbox' }

function withoutSandbox(finding: Finding): HostDoctor['checks'] {
  return [
    { ...sandboxCheck, ...finding },
    { ...networkCheck, ...findingWith('skipped', 'network-skipped') },
  ]
}

/** Sends a request from inside: to the given URL, or to the package index with the client that people will use. */
async function probeNetwork({ gateway, doctorUrl }: ProbePorts, boot: ActiveBoot): Promise<Finding> {
  const url = doctorUrl === '' ? '' : new URL(doctorUrl).href.replaceAll("'", '%27')
  const command =
    url === ''
      ? 'timeout 15 pip index versions pip'
      : `curl --silent --show-error --max-time 15 --output /dev/null '${url}'`
  const target = url === '' ? 'index' : 'url'
  const values: Values = url === '' ? {} : { url }
  const order = { guest: guestOf(boot), key: 'ask', command, session: 'doctor', timeoutMs: commandTimeoutMs }
  const { exitCode, output } = await gateway.run(order)
  if (exitCode === 0) return findingWith('ok', `network-${target}-fine`, values)
  return findingWith('failed', `network-${target}-unreachable`, { ...values, output: output.trim().slice(-400) })
}
