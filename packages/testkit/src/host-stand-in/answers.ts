import { defaultSandboxLimits } from '@threadbox/domain'
import { type ErrorKind, ThreadboxError } from '@threadbox/errors'
import type { Manifest, RescueReport } from '@threadbox/protocol/guest'
import { type CleanedSandbox, type FileChanges, type HostSandbox, noFileChanges } from '@threadbox/protocol/host'

/** An error as the host daemon throws it. */
export type Failure = { code: string; kind: ErrorKind; details?: Record<string, string> }

export function errorOf({ code, kind, details = {} }: Failure): ThreadboxError {
  return new ThreadboxError({ code, kind, message: `${code} in the test`, remedy: 'None.', details })
}

/** A sandbox as a host returns it right after its creation. */
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
    diskUsedBytes: null,
    diskRestoredFrom: null,
    paused: null,
  }
}

/** The manifest of a sandbox in which nothing is running. */
export function emptyManifest(): Manifest {
  return {
    version: 1,
    takenAt: 1,
    processes: [],
    ports: [],
    connections: [],
    kernels: [],
    writtenFiles: [],
    shell: { cwd: '/home/user', environment: {}, functions: [], parts: {} },
    packages: { python: {}, apt: {}, npm: {} },
    deletedOpenFiles: [],
    memoryFiles: [],
    memoryBytes: 1024,
    unread: [],
  }
}

/** A rescue report without content. */
export function emptyRescue(): RescueReport {
  const shell = { outcome: 'none' as const, reason: '' }
  return { state: 'none', takenAt: null, variables: [], shell, processes: [], durationMs: 0, problems: [] }
}

/** A cleaned disk on which nothing had to be removed. */
export function nothingCleaned(): CleanedSandbox {
  const none = { files: 0, bytes: 0 }
  return {
    removed: [],
    redacted: [],
    findings: [],
    furtherFindings: 0,
    amounts: { home: none, packages: none, variables: none, system: none },
  }
}

export const emptyFileChanges: FileChanges = { since: 1, ...noFileChanges }
