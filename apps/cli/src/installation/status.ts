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
  /** True if threadbox responds at the address. */
  isServing: boolean
  address: string
  /** What the host daemon is still preparing; null if it doesn’t respond. */
  preparing: string[] | null
  /** Why new sandboxes have no base image of this release; null if they have one, or it isn’t known. */
  imageProblem: string | null
  awakeSandboxes: number | null
}

const askTimeoutMs = 3000

/** Checks the processes, the host daemon’s socket and the server’s port. Changes nothing. */
export async function readStatus(installation: Installation): Promise<InstallationStatus> {
  const state = (name: 'supervisor' | (typeof programs)[number]): ProgramState =>
    readProcessRecord(installation.record(name)) ? 'running' : 'stopped'
  const [host, isServing] = await Promise.all([hostInfo(installation), isServerResponding(installation)])
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
  const response = await askHost({
    socketPath: installation.settings.hostSocket,
    path: hostPaths.info(),
    timeoutMs: askTimeoutMs,
  }).catch(() => undefined)
  if (response?.status !== 200) return undefined
  const { preparing, imageProblem, awakeSandboxes } = response.body as Record<string, unknown>
  return {
    imageProblem: typeof imageProblem === 'string' ? imageProblem : null,
    preparing: Array.isArray(preparing) ? preparing.map(String) : [],
    awakeSandboxes: typeof awakeSandboxes === 'number' ? awakeSandboxes : null,
  }
}

/** The setup page uses the same port, but only the server sets a request ID in its responses. */
async function isServerResponding(installation: Installation): Promise<boolean> {
  const { THREADBOX_PORT: port, THREADBOX_LISTEN_HOST: host } = installation.environment
  if (!port) return false
  const name = !host || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  try {
    const response = await fetch(`http://${name.includes(':') ? `[${name}]` : name}:${port}/api/v1/openapi.json`, {
      signal: AbortSignal.timeout(askTimeoutMs),
    })
    await response.body?.cancel()
    return response.headers.has('threadbox-request-id')
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
