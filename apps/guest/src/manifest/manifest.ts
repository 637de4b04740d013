import { isErrorOf } from '@threadbox/errors'
import { type Manifest, type ManifestPart, manifestVariableSchema, type UnreadPart } from '@threadbox/protocol/guest'
import { z } from 'zod'
import type { Context } from '../kernels/context.ts'
import type { Kernel } from '../kernels/kernel.ts'
import { kernelNotAnswering } from '../kernels/kernel-control.ts'
import type { Launcher } from '../launch/launcher.ts'
import { type Descriptor, deletedFiles, readDescriptors, socketInode, writtenFiles } from '../processes/descriptors.ts'
import type { ProcessEntry } from '../processes/process-table.ts'
import { readMemory } from '../watchdog/memory.ts'
import { fitted } from './fit-manifest.logic.ts'
import { readMemoryFiles } from './memory-files.ts'
import { makePackageReader } from './packages.ts'
import { describeProcess, userProcesses } from './processes.ts'
import { readShell } from './shell.ts'
import { readSockets } from './sockets.ts'

/** Longest wait for a kernel to list its variables; a pause waits for it. */
const kernelAnswerMs = 900

/**
 * Of all processes together; those with few files come first, so that a database with a thousand does not crowd them
 * out.
 */
const maxWrittenFiles = 1000

/** `isQuick`: without packages, and only the variables that are available in a moment. */
export type ManifestRequest = { hashKey: string; variableBytes: number | undefined; isQuick: boolean }
export type ReadManifest = {
  (request: ManifestRequest): Promise<Manifest>
  /**
   * Reads the installed packages, up to half a second of work: later manifests read only what has changed since. For a
   * moment in which neither a command nor a pause waits.
   */
  warm(): void
}

/** Reads the running system. What cannot be read is named in `unread`; nothing makes the whole manifest fail. */
export function makeManifestReader(dependencies: {
  launcher: Launcher
  contexts(): Context[]
  terminalPids(): number[]
  /** Keys of the commands and cells that have not ended. */
  runningKeys(): string[]
  guestPorts: readonly number[]
  stateDirectory: string
  /** Length of dpkg's log when this disk was first booted. */
  aptLogStart(): number
}): ReadManifest {
  const { launcher } = dependencies
  const readPackages = makePackageReader()
  const packages = () =>
    readPackages({
      searchPath: launcher.environment({ user: launcher.user(undefined), envs: {} }).PATH ?? '',
      home: launcher.user(undefined).home,
      aptLogStart: dependencies.aptLogStart(),
    })
  const read = async (request: ManifestRequest): Promise<Manifest> => {
    const unread: UnreadPart[] = []
    const attempt = <Value>(parts: ManifestPart | ManifestPart[], read: () => Value, otherwise: Value): Value => {
      try {
        return read()
      } catch (error) {
        unread.push(...[parts].flat().map((part) => ({ part, ...failureOf(error) })))
        return otherwise
      }
    }
    const kernels = await readKernels(dependencies.contexts(), { request, unread })
    const user = launcher.user(undefined)
    const runtimeProcesses = {
      kernels: new Set(kernels.map((kernel) => kernel.pid)),
      terminals: new Set(dependencies.terminalPids()),
    }
    const { users, guests } = userProcesses()
    const owned = readOwners({ users, guests, unread })
    const kernelSockets = new Set(
      dependencies.contexts().flatMap((context) => [...(context.kernel()?.ownSockets ?? [])]),
    )
    return fitted({
      version: 1,
      takenAt: Date.now(),
      processes: attempt('processes', () => users.map((entry) => describeProcess(entry, runtimeProcesses)), []),
      ...attempt(
        ['ports', 'connections'],
        () =>
          readSockets({
            ownerOf: (inode) => owned.sockets.get(inode),
            isRuntimeSocket: (inode) => kernelSockets.has(inode),
            guestPorts: dependencies.guestPorts,
          }),
        { ports: [], connections: [] },
      ),
      kernels,
      runsInProgress: dependencies.runningKeys().length,
      shell: attempt(
        'shell',
        () =>
          readShell({
            stateDirectory: dependencies.stateDirectory,
            workdir: launcher.workdir(user),
            hashKey: Buffer.from(request.hashKey, 'hex'),
          }),
        { cwd: '', environment: {}, functions: [], parts: {} },
      ),
      packages: request.isQuick ? noPackages(unread) : attempt('packages', packages, noneInstalled),
      writtenFiles: [...owned.descriptors]
        .map(([pid, descriptors]) => writtenFiles(pid, descriptors))
        .toSorted((one, other) => one.length - other.length)
        .flat()
        .slice(0, maxWrittenFiles),
      deletedOpenFiles: [...owned.descriptors].flatMap(([pid, descriptors]) => deletedFiles(pid, descriptors)),
      memoryFiles: attempt('memory-files', () => readMemoryFiles() ?? tooMany(unread), []),
      memoryBytes: attempt('memory', () => readMemory().usedBytes, 0),
      unread,
    })
  }
  const warm = () => {
    try {
      packages()
    } catch {
      // The manifest that needs it names what cannot be read.
    }
  }
  return Object.assign(read, { warm })
}

const noneInstalled: Manifest['packages'] = { python: {}, apt: {}, npm: {} }

/** Packages are files: they can be read from that moment's disk. */
function noPackages(unread: UnreadPart[]): Manifest['packages'] {
  unread.push({ part: 'packages', reason: 'glance', detail: '' })
  return noneInstalled
}

function tooMany(unread: UnreadPart[]): Manifest['memoryFiles'] {
  unread.push({ part: 'memory-files', reason: 'too-many', detail: '' })
  return []
}

function failureOf(error: unknown): Pick<UnreadPart, 'reason' | 'detail'> {
  if (isErrorOf(kernelNotAnswering, error)) return { reason: 'not-answering', detail: String(error.details.problem) }
  return { reason: 'failed', detail: error instanceof Error ? error.message : String(error) }
}

const describedSchema = z.object({
  variables: z.array(manifestVariableSchema.omit({ context: true })),
  /** How many more exist than were described. */
  left: z.number().int().min(0).max(1_000_000_000).default(0),
})

/** Asks kernels in parallel, so that several slow ones take no longer than one. */
async function readKernels(
  contexts: Context[],
  options: { request: ManifestRequest; unread: UnreadPart[] },
): Promise<Manifest['kernels']> {
  const running = contexts.flatMap((context) => {
    const kernel = context.kernel()
    return kernel === undefined ? [] : [{ context, kernel }]
  })
  return await Promise.all(
    running.map(async ({ context, kernel }) => {
      const known = { context: context.id, pid: kernel.pid, isUsed: context.isUsed() }
      const part = { part: 'variables', context: context.id } as const
      try {
        const { variables, left } = await readVariables(kernel, options.request)
        if (left > 0) options.unread.push({ ...part, leftOut: left, reason: 'too-many', detail: '' })
        const state = context.isBusy() ? ('busy' as const) : ('idle' as const)
        const described = variables.map((variable) => ({ context: context.id, ...variable }))
        return { ...known, state, variables: described, variablesLeftOut: left }
      } catch (error) {
        options.unread.push({ ...part, ...failureOf(error) })
        return { ...known, state: 'not-answering' as const, variables: [] }
      }
    }),
  )
}

async function readVariables(kernel: Kernel, request: ManifestRequest) {
  const answer = await kernel.ask({
    operation: 'describe',
    timeoutMs: kernelAnswerMs,
    hashKey: request.hashKey,
    ...(request.isQuick ? { quick: true } : {}),
    ...(request.variableBytes === undefined ? {} : { variableBytes: request.variableBytes }),
  })
  return describedSchema.parse(answer)
}

/** Owner of each socket, and what every user process holds open. */
function readOwners(options: { users: ProcessEntry[]; guests: Set<number>; unread: UnreadPart[] }) {
  const sockets = new Map<string, number | 'guest'>()
  const descriptors = new Map<number, Descriptor[]>()
  const claim = (list: Descriptor[], owner: number | 'guest') => {
    for (const inode of list.map(socketInode)) if (inode !== undefined) sockets.set(inode, owner)
  }
  for (const { pid } of options.users) {
    const found = readDescriptors(pid)
    if (found === undefined) {
      options.unread.push({ part: 'open-files', pid, reason: 'unreadable', detail: '' })
      continue
    }
    descriptors.set(pid, found)
    claim(found, pid)
  }
  // A socket that the guest shares with a program it started is the guest's.
  for (const pid of options.guests) claim(readDescriptors(pid) ?? [], 'guest')
  return { sockets, descriptors }
}
