import type { Manifest } from '@threadbox/protocol/guest'
import type { SandboxDetail } from '@threadbox/protocol/public'
import type { HostClient } from '../host/host-client.ts'
import type { Sandbox } from '../state/sandbox.logic.ts'
import type { GuestQuestions } from './guest-manifest.ts'
import { commandOf } from './survival-items.logic.ts'

/** How long the panel waits for the guest; without a response, it shows the rest. */
const manifestTimeoutMs = 3000
/** Limit of rows in the panel; a sandbox with more is better inspected in its own terminal. */
const maxProcesses = 200

/** Returns usage, processes and ports of a sandbox, as far as they are available now. Wakes nothing. */
export async function readInside(
  dependencies: { host: HostClient; guest: GuestQuestions; hashKeyOf: (sandboxId: string) => string },
  row: Sandbox | undefined,
): Promise<Pick<SandboxDetail, 'usage' | 'processes' | 'ports'>> {
  if (row === undefined || row.has_run === 0) return { usage: null, processes: null, ports: null }
  const [onHost, manifest] = await Promise.all([
    dependencies.host.get(row.id, { usage: true }).catch(() => undefined),
    row.state === 'active' ? readManifest(dependencies, row) : undefined,
  ])
  return {
    usage: {
      memoryBytes: manifest?.memoryBytes ?? null,
      diskBytes: onHost?.diskUsedBytes ?? null,
      memoryImageBytes: onHost?.paused?.imageBytes ?? null,
    },
    processes: manifest?.processes.slice(0, maxProcesses).map(presentProcess) ?? null,
    ports:
      manifest === undefined ? null : [...new Set(manifest.ports.map(({ port }) => port))].toSorted((a, b) => a - b),
  }
}

async function readManifest(
  dependencies: { guest: GuestQuestions; hashKeyOf: (sandboxId: string) => string },
  row: Sandbox,
): Promise<Manifest | undefined> {
  const options = { hashKey: dependencies.hashKeyOf(row.id), signal: AbortSignal.timeout(manifestTimeoutMs) }
  const target = { sandboxId: row.id, bootId: row.boot_id ?? '' }
  return await dependencies.guest.manifest(target, options).catch(() => undefined)
}

function presentProcess(process: Manifest['processes'][number]) {
  const { pid, memoryBytes, role } = process
  return { pid, commandLine: commandOf(process).slice(0, 500), memoryBytes, role }
}
