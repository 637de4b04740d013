import { Readable } from 'node:stream'
import { isErrorOf } from '@threadbox/errors'
import { unpackSkill } from '@threadbox/protocol/host'
import { agentFileEnding, type CreateAgent, type ImportedAgent } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../../sandboxes/public.ts'
import { idsOf, nameKey } from '../../threads/public.ts'
import {
  type ConnectionRow,
  checkSkill,
  type ModelConnectionRow,
  type Skills,
  skillNotFound,
} from '../../turns/public.ts'
import {
  type AgentFile,
  addressOf,
  agentFileFormat,
  agentFileMark,
  freeName,
  maxAgentFileHeadBytes,
  readAgentFile,
  withoutTexts,
} from './agent-file.logic.ts'
import { agentFileDamaged, agentFileOtherFormat, agentFileOtherImage, agentVersionNotFound } from './agents.errors.ts'
import type { AgentVersionRow } from './agents.table.ts'
import type { Agents } from './agents.usecases.ts'
import { type ByteReader, makeByteReader } from './byte-reader.ts'
import type { EnvironmentRow } from './environments.table.ts'
import { type Environments, environmentContentOf, servicesOf } from './environments.usecases.ts'

type Bytes = AsyncIterable<Uint8Array>

/** Exports and imports agents as files. */
export type AgentFiles = {
  /**
   * Returns a version as a file without any secret of this installation. Throws `agent.not-found` and
   * `agent.version-not-found`.
   */
  export(userId: string, wanted: { agentId: string; version: number }): Promise<{ name: string; content: Bytes }>
  /**
   * Creates an agent from an untrusted file. Throws `agent-file.damaged`, `agent-file.other-format`,
   * `agent-file.other-image`, and what creating agents and skills throws; in that case nothing of the file is kept.
   */
  import(userId: string, file: { workspaceId: string | null; bytes: Bytes }): Promise<ImportedAgent>
}

export type AgentFilesDependencies = {
  agents: Pick<Agents, 'choose' | 'create' | 'list'>
  environments: Pick<Environments, 'receive' | 'send' | 'discard'>
  environmentRows: (ids: readonly string[]) => Promise<ReadonlyMap<string, EnvironmentRow>>
  skills: Pick<Skills, 'list' | 'pack' | 'create' | 'delete'>
  models: () => Promise<ModelConnectionRow[]>
  /** The connections that this user may use. */
  connectionsOf: (userId: string) => Promise<ConnectionRow[]>
  storedSecrets: () => Promise<string[]>
  host: Pick<HostClient, 'get'>
  system: System
}

export function makeAgentFiles(dependencies: AgentFilesDependencies): AgentFiles {
  return {
    export: async (userId, { agentId, version: number }) => {
      const { agent, version } = await dependencies.agents.choose(userId, { agentId, version: number, action: 'work' })
      const skills = await packagesOf(dependencies, { userId, version })
      const environment = await environmentOf(dependencies, version)
      const file = withoutTexts(
        {
          format: agentFileFormat,
          exportedAt: dependencies.system.now(),
          name: agent.name,
          description: agent.description,
          instructions: version.instructions,
          model: await modelOf(dependencies, version),
          skills: skills?.map(({ name, bytes }) => ({ name, sizeBytes: bytes.byteLength })) ?? null,
          connections: await connectionsOf(dependencies, { userId, version }),
          computer: environment === undefined ? null : await environmentPartOf(dependencies, environment),
        } satisfies AgentFile,
        await dependencies.storedSecrets(),
      )
      const disk = environment === undefined ? undefined : await dependencies.environments.send(environment)
      const packages = skills?.map(({ bytes }) => bytes) ?? []
      return { name: `${agent.name}.${agentFileEnding}`, content: contentOf({ file, packages, disk }) }
    },
    import: async (userId, { workspaceId, bytes }) => {
      const reader = makeByteReader(bytes)
      try {
        const file = await headOf(reader)
        return await importFile(dependencies, { userId, workspaceId, file, reader })
      } catch (error) {
        // A client that is still sending does not read the response.
        await reader.drain()
        throw error
      }
    },
  }
}

async function* contentOf(parts: {
  file: AgentFile
  packages: readonly Uint8Array[]
  disk: Readable | undefined
}): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${agentFileMark}${JSON.stringify(parts.file)}\n`)
  yield* parts.packages
  if (parts.disk !== undefined) yield* parts.disk as AsyncIterable<Uint8Array>
}

/** Packs the skills of the version that the user still has. */
async function packagesOf(
  { skills }: AgentFilesDependencies,
  { userId, version }: { userId: string; version: AgentVersionRow },
) {
  const wanted = idsOf(version.skill_ids_json)
  if (wanted === null) return null
  const packed = await Promise.all(
    wanted.map((id) =>
      skills.pack(userId, id).catch((error: unknown) => {
        if (isErrorOf(skillNotFound, error)) return undefined
        throw error
      }),
    ),
  )
  return packed.filter((one) => one !== undefined)
}

async function modelOf({ models }: AgentFilesDependencies, version: AgentVersionRow): Promise<AgentFile['model']> {
  const row = (await models()).find(({ id }) => id === version.model_id)
  return row === undefined ? null : { provider: row.provider, name: row.name, model: row.model }
}

async function connectionsOf(
  dependencies: AgentFilesDependencies,
  { userId, version }: { userId: string; version: AgentVersionRow },
): Promise<AgentFile['connections']> {
  const wanted = idsOf(version.connection_ids_json)
  if (wanted === null) return null
  const rows = await dependencies.connectionsOf(userId)
  return rows
    .filter(({ id }) => wanted.includes(id))
    .map(({ name, preset, url }) => ({ name, preset, url: addressOf(url) }))
}

async function environmentOf({ environmentRows }: AgentFilesDependencies, version: AgentVersionRow) {
  if (version.environment_id === null) return undefined
  const row = (await environmentRows([version.environment_id])).get(version.environment_id)
  // Removed together with its version in the meantime.
  if (row === undefined) throw agentVersionNotFound({})
  return row
}

async function environmentPartOf(
  { host }: AgentFilesDependencies,
  row: EnvironmentRow,
): Promise<AgentFile['computer']> {
  const sandbox = await host.get(row.sandbox_id)
  if (sandbox === undefined) throw agentVersionNotFound({})
  // Memory cannot be restored on another host.
  const { memory: _, ...content } = environmentContentOf(row)
  return {
    imageId: sandbox.imageId,
    services: servicesOf(row),
    rescue: row.rescue_json === null ? null : JSON.parse(row.rescue_json),
    content,
  }
}

async function headOf(reader: ByteReader): Promise<AgentFile> {
  const mark = await reader.take(agentFileMark.length)
  if (mark === undefined || Buffer.from(mark).toString('latin1') !== agentFileMark) {
    throw agentFileDamaged({ problem: 'it doesn’t start with the agent file header.' })
  }
  const line = await reader.line(maxAgentFileHeadBytes)
  if (line === undefined) throw agentFileDamaged({ problem: 'its header is truncated or too long.' })
  const read = readAgentFile(line)
  if (read.kind === 'damaged') throw agentFileDamaged({ problem: read.problem })
  if (read.kind === 'other-format') throw agentFileOtherFormat({ format: read.format })
  return read.file
}

type Incoming = { userId: string; workspaceId: string | null; file: AgentFile; reader: ByteReader }

async function importFile(dependencies: AgentFilesDependencies, incoming: Incoming): Promise<ImportedAgent> {
  const { userId, workspaceId, file, reader } = incoming
  const { agents, environments } = dependencies
  const made: string[] = []
  const needs: ImportedAgent['needs'] = []
  let environment: EnvironmentRow | undefined
  try {
    const skillIds = await importSkills(dependencies, { ...incoming, made, needs })
    environment = await importEnvironment(dependencies, { userId, file, reader })
    const request: CreateAgent = {
      name: await nameFor(dependencies, incoming),
      description: file.description,
      workspaceId,
      instructions: file.instructions,
      modelId: await modelFor(dependencies, file, needs),
      skillIds,
      connectionIds: await connectionsFor(dependencies, { ...incoming, needs }),
      environment: environment === undefined ? null : { id: environment.id },
    }
    return { agent: await agents.create(userId, request), needs }
  } catch (error) {
    for (const id of made) await dependencies.skills.delete(userId, id)
    if (environment !== undefined) await environments.discard(userId, environment.id)
    throw error
  }
}

/**
 * Uses an existing skill with the same content. An existing skill with the same name and other content is kept, and the
 * incoming one is listed in `needs`.
 */
async function importSkills(
  { skills }: AgentFilesDependencies,
  incoming: Incoming & { made: string[]; needs: ImportedAgent['needs'] },
): Promise<string[] | null> {
  const { userId, workspaceId, file, reader, made, needs } = incoming
  if (file.skills === null) return null
  const present = (await skills.list(userId)).skills
  const ids: string[] = []
  for (const { name, sizeBytes } of file.skills) {
    const bytes = await reader.take(sizeBytes)
    const files = bytes && unpackSkill(bytes)
    if (bytes === undefined || files === undefined)
      throw agentFileDamaged({ problem: `the skill ${name} is incomplete.` })
    const same = present.filter((one) => one.name === name && [null, workspaceId].includes(one.workspaceId))
    const [existing] = same
    if (existing === undefined) {
      const { id } = await skills.create(userId, workspaceId, async () => checkSkill(files, name))
      made.push(id)
      ids.push(id)
    } else if (Buffer.compare((await skills.pack(userId, existing.id)).bytes, bytes) === 0) ids.push(existing.id)
    else needs.push({ kind: 'skill', name, url: null })
  }
  return ids
}

async function importEnvironment(
  { environments }: AgentFilesDependencies,
  { userId, file, reader }: Pick<Incoming, 'userId' | 'file' | 'reader'>,
): Promise<EnvironmentRow | undefined> {
  if (file.computer === null) {
    if ((await reader.take(1)) !== undefined)
      throw agentFileDamaged({ problem: 'it contains more data than its header declares.' })
    return undefined
  }
  const { imageId, services, rescue, content } = file.computer
  const bytes = Readable.from(reader.rest())
  return await environments
    .receive(userId, { imageId, services, rescue, content: { ...content, memory: null }, bytes })
    .catch((error: { details?: Record<string, unknown> }) => {
      if (!isErrorOf({ code: 'environment.other-image' }, error)) throw error
      throw agentFileOtherImage({ wanted: imageId, present: String(error.details?.present ?? '') }, { cause: error })
    })
}

async function nameFor({ agents }: AgentFilesDependencies, { userId, workspaceId, file }: Incoming): Promise<string> {
  const inScope = (await agents.list(userId)).agents.filter((agent) => agent.workspaceId === workspaceId)
  const taken = new Set(inScope.map(({ name }) => nameKey(name)))
  return freeName(file.name, (name) => taken.has(nameKey(name)))
}

async function modelFor(
  { models }: AgentFilesDependencies,
  { model }: AgentFile,
  needs: ImportedAgent['needs'],
): Promise<string | null> {
  if (model === null) return null
  const rows = (await models()).filter((row) => row.provider === model.provider && row.model === model.model)
  const found = rows.find((row) => row.name === model.name) ?? rows[0]
  if (found === undefined) needs.push({ kind: 'model', name: model.model, url: null })
  return found?.id ?? null
}

async function connectionsFor(
  dependencies: AgentFilesDependencies,
  { userId, workspaceId, file, needs }: Incoming & { needs: ImportedAgent['needs'] },
): Promise<string[] | null> {
  if (file.connections === null) return null
  const rows = (await dependencies.connectionsOf(userId)).filter((row) =>
    [null, workspaceId].includes(row.workspace_id),
  )
  return file.connections.flatMap(({ name, url }) => {
    const address = url === null ? null : addressOf(url)
    const found = rows.find((row) => address !== null && addressOf(row.url) === address)
    if (found !== undefined) return [found.id]
    needs.push({ kind: 'connection', name, url: address })
    return []
  })
}
