import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import type { HostDoctor } from '@threadbox/protocol/host'
import { makeCommandRunner } from '../boots/guest-commands.ts'
import type { DoctorParts } from './doctor.ts'
import { type Finding, findingOf } from './findings.ts'

/** A start on a busy machine, and a network that answers slowly but does. */
const commandTimeoutMs = 20_000

/** Starts a sandbox of its own, looks at the world from inside it and deletes it again. */
export async function probeSandbox(parts: DoctorParts): Promise<HostDoctor['checks']> {
  const { orders, randomBytes, clock } = parts
  const sandboxId = makeId('sandbox', randomBytes)
  const order = { bootId: makeId('boot', randomBytes), hostname: 'doctor' }
  const startedAt = clock()
  try {
    await orders.ensure(sandboxId, { limits: defaultSandboxLimits, egress: { kind: 'open' } })
    await orders.start(sandboxId, order)
    const detail = `a sandbox was ready after ${clock() - startedAt} ms`
    const started = { id: 'sandbox', title: 'starting a sandbox', state: 'ok' as const, detail, cure: '' }
    return [started, ...(await lookFromInside(parts, sandboxId))]
  } catch (error) {
    const skipped: Finding = { state: 'skipped', detail: 'no sandbox could be started', cure: '' }
    return [
      { id: 'sandbox', title: 'starting a sandbox', ...findingOf(error) },
      { ...network, ...skipped },
    ]
  } finally {
    await orders.delete(sandboxId)
  }
}

const network = { id: 'sandbox-network', title: 'names, routes and certificates inside a sandbox' }

async function lookFromInside(parts: DoctorParts, sandboxId: string): Promise<HostDoctor['checks']> {
  const boot = parts.active.find(sandboxId)
  if (boot === undefined) throw new Error('the sandbox ended as soon as it was ready')
  const { hostname } = new URL(parts.doctorUrl)
  const runner = makeCommandRunner(boot)
  const run = (key: string, command: string) => runner({ key, command, session: 'doctor', timeoutMs: commandTimeoutMs })
  const name = await run('name', `getent hosts ${hostname}`)
  if (name.exitCode !== 0) {
    return [
      {
        ...network,
        state: 'failed',
        detail: `the name ${hostname} is unknown inside a sandbox`,
        cure: 'Check that this machine itself can resolve names (/etc/resolv.conf), and the check "other firewalls".',
      },
    ]
  }
  const fetched = await run('fetch', `curl --silent --show-error --max-time 15 --output /dev/null ${parts.doctorUrl}`)
  const finding: Finding =
    fetched.exitCode === 0
      ? { state: 'ok', detail: `${parts.doctorUrl} answered`, cure: '' }
      : {
          state: 'failed',
          detail: `${parts.doctorUrl} cannot be fetched from inside a sandbox: ${fetched.output.trim()}`,
          cure: 'If this machine reaches the internet through a proxy, set THREADBOX_SANDBOX_PROXY; if a company’s authority signs its certificates, set THREADBOX_EXTRA_CERTIFICATES; and see the check "other firewalls".',
        }
  return [{ ...network, ...finding }]
}
