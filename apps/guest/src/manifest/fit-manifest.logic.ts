import type { Manifest, ManifestPart, UnreadPart } from '@threadbox/protocol/guest'

/** Larger manifests are cut: host and server read at most 4 MiB, and at most 20,000 entries of a list. */
const limitBytes = 3.5 * 1024 * 1024
/** How many entries each list keeps, until the manifest fits. With none, its size is that of its field names. */
const attempts = [20_000, 5000, 1000, 200, 0]
/** Length of a command line, in characters, in a manifest that doesn’t fit otherwise. */
const commandLineCharacters = 256

/** Cuts what is too large to be sent. `unread` and the counts say what was left out. */
export function fitted(manifest: Manifest): Manifest {
  for (const [index, most] of attempts.entries()) {
    const cut = withListsOf(index === 0 ? manifest : withShortCommandLines(manifest), most)
    if (JSON.stringify(cut).length <= limitBytes) return cut
  }
  return withListsOf({ ...manifest, unread: [] }, 0)
}

function withShortCommandLines(manifest: Manifest): Manifest {
  const processes = manifest.processes.map((process) => {
    let room = commandLineCharacters
    const commandLine = process.commandLine.flatMap((part) => {
      const kept = part.slice(0, room)
      room -= kept.length
      return kept === '' && part !== '' ? [] : [kept]
    })
    return { ...process, commandLine, cwd: process.cwd.slice(0, commandLineCharacters) }
  })
  return { ...manifest, processes }
}

function withListsOf(manifest: Manifest, most: number): Manifest {
  const missing: UnreadPart[] = []
  const leftOut = (part: ManifestPart, total: number, more: Pick<UnreadPart, 'context'> = {}) => {
    if (total > most) missing.push({ part, ...more, leftOut: total - most, reason: 'too-many', detail: '' })
  }
  const list = <Item>(part: ManifestPart, items: Item[]): Item[] => {
    leftOut(part, items.length)
    return items.slice(0, most)
  }
  const record = (items: Record<string, string>) => Object.fromEntries(Object.entries(items).slice(0, most))
  const { processes, kernels, shell, packages } = manifest
  leftOut('processes', processes.length)
  leftOut('shell', Math.max(...[shell.environment, shell.functions, shell.parts].map((one) => Object.keys(one).length)))
  leftOut('packages', Math.max(...Object.values(packages).map((one) => Object.keys(one).length)))
  const processesLeftOut = (manifest.processesLeftOut ?? 0) + Math.max(0, processes.length - most)
  return {
    ...manifest,
    processes: processes.slice(0, most),
    ...(processesLeftOut === 0 ? {} : { processesLeftOut }),
    ports: list('ports', manifest.ports),
    connections: list('connections', manifest.connections),
    kernels: kernels.map((kernel) => {
      const { context, variables, variablesLeftOut = 0 } = kernel
      leftOut('variables', variables.length, { context })
      const left = variablesLeftOut + Math.max(0, variables.length - most)
      return { ...kernel, variables: variables.slice(0, most), ...(left === 0 ? {} : { variablesLeftOut: left }) }
    }),
    shell: {
      ...shell,
      environment: record(shell.environment),
      functions: shell.functions.slice(0, most),
      parts: record(shell.parts),
    },
    packages: { python: record(packages.python), apt: record(packages.apt), npm: record(packages.npm) },
    writtenFiles: list('open-files', manifest.writtenFiles),
    deletedOpenFiles: list('open-files', manifest.deletedOpenFiles),
    memoryFiles: list('memory-files', manifest.memoryFiles),
    unread: [...manifest.unread.slice(0, 1000), ...missing],
  }
}
