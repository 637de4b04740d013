import type { Readable } from 'node:stream'
import { isErrorOf } from '@threadbox/errors'
import { agentFileEnding } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../../sandboxes/public.ts'
import { idsOf } from '../../threads/public.ts'
import { type ConnectionRow, type ModelConnectionRow, type Skills, skillNotFound } from '../../turns/public.ts'
import { type AgentFile, addressOf, agentFileFormat, agentFileMark, withoutTexts } from './agent-file.logic.ts'
import { agentVersionNotFound } from './agents.errors.ts'
import type { AgentVersionRow } from './agents.table.ts'
import type { Agents } from './agents.usecases.ts'
import type { EnvironmentRow } from './environments.table.ts'
import { type Environments, environmentContentOf, servicesOf } from './environments.usecases.ts'

type Bytes = AsyncIterable<Uint8Array>

/** Exports agents as files. */
export type AgentFiles = {
  /**
   * Returns a version as a file without any secret of this installation. Throws `agent.not-found` and
   * `agent.version-not-found`.
   */
  export(userId: string, wanted: { agentId: string; version: number }): Promise<{ name: string; content: Bytes }>
}

export type AgentFilesDependencies = {
  agents: Pick<Agents, 'choose'>
  environments: Pick<Environments, 'send'>
  environmentRows: (ids: readonly string[]) => Promise<ReadonlyMap<string, EnvironmentRow>>
  skills: Pick<Skills, 'pack'>
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
