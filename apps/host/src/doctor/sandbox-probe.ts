import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import { accessTokenHeader, guestPort, runs } from '@threadbox/protocol/guest'
import type { HostDoctor } from '@threadbox/protocol/host'
import type { DoctorParts } from './doctor.ts'
import { type Finding, findingOf } from './findings.ts'

type Result = { exitCode: number; output: string }

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
  const run = runnerIn(boot)
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

function runnerIn(boot: { address: string; accessToken: string }) {
  const client = createClient(
    runs.Runs,
    createConnectTransport({
      httpVersion: '1.1',
      baseUrl: `http://${boot.address}:${guestPort}`,
      interceptors: [
        (next) => (request) => {
          request.header.set(accessTokenHeader, boot.accessToken)
          return next(request)
        },
      ],
    }),
  )
  return async (key: string, command: string): Promise<Result> => {
    await client.startCommand({ key, command, timeoutMs: commandTimeoutMs })
    const result = { exitCode: -1, output: '' }
    for await (const { event } of client.read({ key, offset: 0n, display: 0 })) {
      if (event.case === 'output' && result.output.length < 10_000)
        result.output += Buffer.from(event.value.data).toString()
      if (event.case === 'ended') result.exitCode = event.value.exitCode
    }
    return result
  }
}
