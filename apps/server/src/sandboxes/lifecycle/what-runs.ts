import { type Manifest, manifestSchema, type UnreadPart } from '@threadbox/protocol/guest'
import type { Sandbox } from '../state/sandbox.models.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import type { GuestQuestions } from './guest-manifest.ts'

export type WhatRunsDependencies = {
  guest: Pick<GuestQuestions, 'glance'>
  hashKeyOf: (sandboxId: string) => string
  /** What was alive in a sandbox when it was paused. */
  memoryOf: SandboxReads['memory']
}

/** What runs in a sandbox, at a glance; of one that sleeps with its memory what its pause wrote down. Null: nobody can say. */
export async function whatRuns(
  { guest, hashKeyOf, memoryOf }: WhatRunsDependencies,
  row: Sandbox,
  signal: AbortSignal,
): Promise<Manifest | null> {
  if (row.state === 'fresh' || row.state === 'cold' || row.state === 'error') return nothingRuns
  try {
    if (row.state === 'paused') return readManifest((await memoryOf(row.id))?.manifest_json ?? null)
    if (row.state !== 'active') return null
    const target = { sandboxId: row.id, bootId: row.boot_id ?? '' }
    return await guest.glance(target, { hashKey: hashKeyOf(row.id), signal })
  } catch {
    // Whoever asks is told that nobody can say: a guest that is silent is no news to anybody else.
    return null
  }
}

/** Null also for one that another version wrote down in another form. */
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

/** What is written down with every answer is not to fill the database, whatever a sandbox says. */
const longestJson = 256 * 1024
const most = { processes: 300, variables: 1000, sockets: 300, files: 200 }
const longestText = 500

/** A manifest as it is kept with an answer; what is left out is named in it. Null: there would still be too much of it. */
export function manifestToKeep(manifest: Manifest): string | null {
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

/** Whole words, so that what is the same stays the same: of a long command line its beginning. */
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
