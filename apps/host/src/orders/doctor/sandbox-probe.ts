import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import type { HostApi, HostDoctor } from '@threadbox/protocol/host'
import type { ActiveBoots } from '../../boots/launch/active-boots.ts'
import { makeCommandRunner } from '../../boots/launch/guest-commands.ts'
import { type Finding, findingOf } from './findings.ts'

export type ProbePorts = {
  orders: Pick<HostApi, 'ensure' | 'start' | 'delete'>
  active: Pick<ActiveBoots, 'find'>
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
    const detail = `a sandbox was ready after ${clock() - startedAt} ms`
    const started = { id: 'sandbox', title: 'starting a sandbox', state: 'ok' as const, detail, cure: '' }
    return [started, ...(await probeFromSandbox(ports, sandboxId))]
  } catch (error) {
    const skipped: Finding = { state: 'skipped', detail: 'couldn’t start a sandbox', cure: '' }
    return [
      { id: 'sandbox', title: 'starting a sandbox', ...findingOf(error) },
      { ...network, ...skipped },
    ]
  } finally {
    await orders.delete(sandboxId)
  }
}

const network = { id: 'sandbox-network', title: 'DNS, routing and certificates in a sandbox' }

async function probeFromSandbox(ports: ProbePorts, sandboxId: string): Promise<HostDoctor['checks']> {
  const boot = ports.active.find(sandboxId)
  if (boot === undefined) throw new Error('the sandbox stopped as soon as it was ready')
  const runner = makeCommandRunner(boot)
  const { what, command } = questionOf(ports.doctorUrl)
  const asked = await runner({ key: 'ask', command, session: 'doctor', timeoutMs: commandTimeoutMs })
  const finding: Finding =
    asked.exitCode === 0
      ? { state: 'ok', detail: `${what} responded`, cure: '' }
      : {
          state: 'failed',
          detail: `can’t reach ${what} from a sandbox: ${asked.output.trim().slice(-400)}`,
          cure: 'Check that this host can resolve names (/etc/resolv.conf). If it reaches the internet through a proxy, set THREADBOX_SANDBOX_PROXY. If a company’s certificate authority signs its certificates, set THREADBOX_EXTRA_CERTIFICATES. See also the check “other firewalls”.',
        }
  return [{ ...network, ...finding }]
}

/** The request from inside: the given URL, or the package index with the client that people will use. */
function questionOf(doctorUrl: string): { what: string; command: string } {
  if (doctorUrl === '') return { what: 'the Python package index', command: 'timeout 15 pip index versions pip' }
  const url = new URL(doctorUrl).href.replaceAll("'", '%27')
  return { what: url, command: `curl --silent --show-error --max-time 15 --output /dev/null '${url}'` }
}
