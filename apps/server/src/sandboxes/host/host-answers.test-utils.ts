import { defaultSandboxLimits } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'

/** A sandbox as a host has it that was just made. */
export function stopped(sandboxId: string): HostSandbox {
  return {
    sandboxId,
    actual: 'stopped',
    bootId: null,
    bootStartedAt: null,
    lastBootEnd: null,
    limits: defaultSandboxLimits,
    egress: { kind: 'open' },
    imageId: 'image',
    diskUsedBytes: 0,
  }
}

export function wireError(code: string, kind: string, details: Record<string, string> = {}) {
  return { error: { code, kind, message: `${code} in the test`, remedy: 'None.', details } }
}
