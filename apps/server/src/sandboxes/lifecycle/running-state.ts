import { type Manifest, manifestSchema, type UnreadPart } from '@threadbox/protocol/guest'
import type { Sandbox } from '../state/sandbox.logic.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import type { GuestQuestions } from './guest-manifest.ts'

export type RunningStateDependencies = {
  guest: Pick<GuestQuestions, 'quickManifest'>
  hashKeyOf: (sandboxId: string) => string
  /** What was in memory when the sandbox was paused. */
  memoryOf: SandboxReads['memory']
}

/**
 * Returns a quick manifest of an awake sandbox, and the manifest of the pause for a paused one. Null if it is unknown
 * what runs.
 */
export async function readRunningState(
  { guest, hashKeyOf, memoryOf }: RunningStateDependencies,
  row: Sandbox,
  signal: AbortSignal,
): Promise<Manifest | null> {
  if (row.state === 'fresh' || row.state === 'cold' || row.state === 'error') return nothingRuns
  try {
    if (row.state === 'paused') return readManifest((await memoryOf(row.id))?.manifest_json ?? null)
    if (row.state !== 'active') return null
    const target = { sandboxId: row.id, bootId: row.boot_id ?? '' }
    return await guest.quickManifest(target, { hashKey: hashKeyOf(row.id), signal })
  } catch {
    // The caller learns from null that this is unknown. A silent guest is not an error here.
    return null
  }
}

/** Returns null also for a manifest that another version stored in another format. */
export function readManifest(json: string | null): Manifest | null {
  return json === null ? null : (manifestSchema.safeParse(JSON.parse(json)).data ?? null)
}

export const nothingRuns: Manifest = {
  version: 1,
  takenAt: 0,
  processes: [],
  ports: [],
  connections: [],
  kernels: [],
  writtenFiles: [],
  shell: { cwd: '', environment: {}, functions: [], parts: {} },
  packages: { python: {}, apt: {}, npm: {} },
  deletedOpenFiles: [],
  memoryFiles: [],
  memoryBytes: 0,
  unread: [],
}

/** Limit of what is stored with every turn, so that no sandbox can fill the database. */
const longestJson = 256 * 1024
const most = { processes: 300, variables: 1000, sockets: 300, files: 200 }
const longestText = 500

/** Returns a manifest as it is stored with a turn; it counts what is left out. Null if it is still too large. */
export function storableManifest(manifest: Manifest): string | null {
  const unread = [...manifest.unread.slice(0, 50)]
  const first = <One>(what: Pick<UnreadPart, 'part' | 'context'>, list: readonly One[], count: number): One[] => {
    const leftOut = beyond(list, count)
    if (leftOut > 0) unread.push({ ...what, leftOut, reason: 'too-many', detail: '' })
    return list.slice(0, count)
  }
  const kept: Manifest = {
    ...manifest,
    processes: first({ part: 'processes' }, manifest.processes, most.processes).map((process) => ({
      ...process,
      name: process.name.slice(0, longestText),
      commandLine: shortened(process.commandLine),
    })),
    processesLeftOut: beyond(manifest.processes, most.processes) + (manifest.processesLeftOut ?? 0),
    ports: first({ part: 'ports' }, manifest.ports, most.sockets),
    connections: first({ part: 'connections' }, manifest.connections, most.sockets),
    kernels: manifest.kernels.map((kernel) => ({
      ...kernel,
      variables: first({ part: 'variables', context: kernel.context }, kernel.variables, most.variables),
      variablesLeftOut: beyond(kernel.variables, most.variables) + (kernel.variablesLeftOut ?? 0),
    })),
    packages: { python: {}, apt: {}, npm: {} },
    writtenFiles: manifest.writtenFiles.slice(0, most.files),
    deletedOpenFiles: first({ part: 'open-files' }, manifest.deletedOpenFiles, most.files),
    memoryFiles: first({ part: 'memory-files' }, manifest.memoryFiles, most.files),
    unread,
  }
  const json = JSON.stringify(kept)
  return json.length > longestJson ? null : json
}

function beyond(list: readonly unknown[], count: number): number {
  return Math.max(0, list.length - count)
}

/** Keeps the beginning of a long command line, word by word, so that equal ones stay equal. */
function shortened(words: readonly string[]): string[] {
  const shown: string[] = []
  let length = 0
  for (const word of words) {
    length += word.length
    if (length > longestText) return [...shown, `${word.slice(0, Math.max(0, longestText - length + word.length))}…`]
    shown.push(word)
  }
  return shown
}
