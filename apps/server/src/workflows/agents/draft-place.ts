import { idsOf, nameKey } from '../../threads/public.ts'
import type { ConnectionRow, ModelConnectionRow, Skills } from '../../turns/public.ts'
import { isInScope } from './accept-draft.ts'
import { type DraftPlace, plainLine, type Twin } from './agent-drafts.logic.ts'
import type { AgentFile } from './agent-file.logic.ts'
import type { Agents } from './agents.usecases.ts'
import type { EnvironmentRow } from './environments.table.ts'
import { servicesOf } from './environments.usecases.ts'

export type DraftPlaceDependencies = {
  agents: Pick<Agents, 'choose' | 'list'>
  environmentRows: (ids: readonly string[]) => Promise<ReadonlyMap<string, EnvironmentRow>>
  skills: Pick<Skills, 'list'>
  models: () => Promise<ModelConnectionRow[]>
  /** The connections that this user may use. */
  connectionsOf: (userId: string) => Promise<ConnectionRow[]>
}

type Draft = { userId: string; workspaceId: string | null; file: AgentFile }

/** What exists where a draft would become an agent. */
export async function draftPlaceOf(dependencies: DraftPlaceDependencies, draft: Draft): Promise<DraftPlace> {
  const { userId, workspaceId, file } = draft
  const inScope = (await dependencies.skills.list(userId)).skills.filter((one) => isInScope(one, workspaceId))
  const skills = inScope.map(({ id, name, version: digest }) => ({ id, name, digest }))
  const connections = (await dependencies.connectionsOf(userId))
    .filter((row) => isInScope({ workspaceId: row.workspace_id }, workspaceId))
    .map(({ id, name, preset, url }) => ({ id, name, preset, url }))
  const twin = await twinOf(dependencies, { ...draft, skills, connections })
  return { twin, modelId: await modelFor(dependencies, file), skills, connections }
}

/** The model with the name in the file, or else one that is the same at the same provider. */
export async function modelFor(
  { models }: Pick<DraftPlaceDependencies, 'models'>,
  { model }: AgentFile,
): Promise<string | null> {
  if (model === null) return null
  const rows = (await models()).filter((row) => row.provider === model.provider && row.model === model.model)
  return (rows.find((row) => row.name === model.name) ?? rows[0])?.id ?? null
}

async function twinOf(
  { agents, environmentRows }: DraftPlaceDependencies,
  place: Draft & { skills: readonly { id: string; name: string; digest: string }[] } & Pick<DraftPlace, 'connections'>,
): Promise<Twin | undefined> {
  const { userId, workspaceId, file } = place
  // A name that only looks the same is compared too.
  const key = nameKey(plainLine(file.name, ''))
  const found = (await agents.list(userId)).agents.find((one) => {
    return one.workspaceId === workspaceId && nameKey(one.name) === key
  })
  if (found === undefined) return undefined
  const { agent, version } = await agents.choose(userId, { agentId: found.id, version: null, action: 'read' })
  const environment = (await environmentRows(version.environment_id === null ? [] : [version.environment_id])).get(
    version.environment_id ?? '',
  )
  const [skillIds, connectionIds] = [idsOf(version.skill_ids_json), idsOf(version.connection_ids_json)]
  return {
    agentId: agent.id,
    name: agent.name,
    version: version.version,
    instructions: version.instructions,
    modelId: version.model_id,
    hasEnvironment: environment !== undefined,
    services: environment === undefined ? [] : servicesOf(environment),
    skills: skillIds && place.skills.filter(({ id }) => skillIds.includes(id)),
    connections: connectionIds && place.connections.filter(({ id }) => connectionIds.includes(id)),
  }
}
