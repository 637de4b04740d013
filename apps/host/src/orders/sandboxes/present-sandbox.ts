import type { HostSandbox } from '@threadbox/protocol/host'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'

export type PresentPorts = { boots: BootsStore; paused: PausedBoots }

/** A sandbox as its server sees it. Disk usage is only read when a single sandbox is requested. */
export async function presentSandbox(ports: PresentPorts, sandbox: StoredSandbox): Promise<HostSandbox> {
  const { sandboxId, limits, egress, imageId } = sandbox
  const [boot, last] = await Promise.all([ports.boots.current(sandboxId), ports.boots.lastEnded(sandboxId)])
  const hasEnd = last?.endedAt != null && last.endCause !== null
  return {
    sandboxId,
    actual:
      boot === undefined ? 'stopped' : isBootAsleep(boot) ? 'paused' : boot.state === 'ready' ? 'ready' : 'starting',
    bootId: boot?.bootId ?? null,
    bootStartedAt: boot?.startedAt ?? null,
    lastBootEnd: hasEnd
      ? { bootId: last.bootId, cause: last.endCause ?? 'unknown', at: last.endedAt ?? 0, detail: last.endDetail ?? '' }
      : null,
    limits,
    egress,
    imageId,
    ...(sandbox.isArchived ? { isArchived: true } : {}),
    diskUsedBytes: null,
    diskRestoredFrom: boot?.diskRestoredFrom ?? null,
    paused: boot === undefined ? null : ((await ports.paused.present({ sandbox, boot })) ?? null),
  }
}
