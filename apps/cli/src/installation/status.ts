import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { hostPaths } from '@threadbox/protocol/host'
import type { Installation, programs } from './data-directory.ts'
import { askHost } from './host-client.ts'
import { readProcessRecord } from './process-record.ts'

export type ProgramState = 'running' | 'stopped'
export type InstallationStatus = {
  dataDirectory: string
  installation: string
  release: string | null
  supervisor: ProgramState
  host: ProgramState
  server: ProgramState
  /** True when the address answers as threadbox. */
  isServing: boolean
  address: string
  /** What the host daemon still prepares; null when it does not answer. */
  preparing: string[] | null
  /** Why new sandboxes have no base image of this release; null when they have, or nobody knows. */
  imageProblem: string | null
  awakeSandboxes: number | null
}

const askTimeoutMs = 3000

/** Looks at processes, the host daemon's socket and the server's port. Never changes anything. */
export async function readStatus(installation: Installation): Promise<InstallationStatus> {
  const state = (name: 'supervisor' | (typeof programs)[number]): ProgramState =>
    readProcessRecord(installation.record(name)) ? 'running' : 'stopped'
  const [host, isServing] = await Promise.all([hostInfo(installation), answersAsServer(installation)])
  return {
    dataDirectory: installation.dataDirectory,
    installation: installation.settings.installation,
    release: releaseOf(installation),
    supervisor: state('supervisor'),
    host: state('host'),
    server: state('server'),
    isServing,
    address: installation.environment.THREADBOX_ADDRESS ?? '',
    preparing: host?.preparing ?? null,
    imageProblem: host?.imageProblem ?? null,
    awakeSandboxes: host?.awakeSandboxes ?? null,
  }
}

async function hostInfo(installation: Installation) {
  const answer = await askHost({
    socketPath: installation.settings.hostSocket,
    path: hostPaths.info(),
    timeoutMs: askTimeoutMs,
  }).catch(() => undefined)
  if (answer?.status !== 200) return undefined
  const { preparing, imageProblem, awakeSandboxes } = answer.body as Record<string, unknown>
  return {
    imageProblem: typeof imageProblem === 'string' ? imageProblem : null,
    preparing: Array.isArray(preparing) ? preparing.map(String) : [],
    awakeSandboxes: typeof awakeSandboxes === 'number' ? awakeSandboxes : null,
  }
}

/** The setup page answers on the same port; only the server names a request id in its answers. */
async function answersAsServer(installation: Installation): Promise<boolean> {
  const { THREADBOX_PORT: port, THREADBOX_LISTEN_HOST: host } = installation.environment
  if (!port) return false
  const name = !host || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  try {
    const answer = await fetch(`http://${name.includes(':') ? `[${name}]` : name}:${port}/api/v1/openapi.json`, {
      signal: AbortSignal.timeout(askTimeoutMs),
    })
    await answer.body?.cancel()
    return answer.headers.has('threadbox-request-id')
  } catch {
    return false
  }
}

function releaseOf(installation: Installation): string | null {
  try {
    return basename(readlinkSync(installation.release))
  } catch {
    return null
  }
}
