import type { SkillFile } from '@threadbox/protocol/host'
import type { AcceptAgentDraft, Agent, AgentDraft, CreateAgent } from '@threadbox/protocol/public'
import { nameKey } from '../../threads/public.ts'
import { checkSkill, type Skills } from '../../turns/public.ts'
import { plainLine } from './agent-drafts.logic.ts'
import { type AgentFile, freeName } from './agent-file.logic.ts'
import { agentDraftNotOffered, agentDraftOtherFile } from './agents.errors.ts'
import type { Alongside } from './agents.store.ts'
import type { Agents } from './agents.usecases.ts'
import type { Environments } from './environments.usecases.ts'

export type AcceptDraftDependencies = {
  agents: Pick<Agents, 'create' | 'list'>
  environments: Pick<Environments, 'accept'>
  skills: Pick<Skills, 'list' | 'create' | 'delete'>
  modelFor: (file: AgentFile) => Promise<string | null>
}

type Acceptance = {
  userId: string
  draft: { id: string; workspaceId: string | null; sha256: string; environmentId: string | null }
  file: AgentFile
  items: AgentDraft
  choices: AcceptAgentDraft
  skillFiles: (name: string) => Promise<SkillFile[]>
  /** Ends the wait of the draft; throws if it has ended. */
  close: Alongside
}

export type AcceptedItems = Required<Omit<AcceptAgentDraft, 'sha256'>>

/**
 * Makes an agent of what a person accepted. The disk is reduced to that first, and the agent is added last, so nothing
 * can start from more, whatever fails.
 */
export async function acceptDraft(
  dependencies: AcceptDraftDependencies,
  acceptance: Acceptance,
): Promise<{ agent: Agent; accepted: AcceptedItems }> {
  const { userId, draft, file, items, choices } = acceptance
  const accepted = acceptedOf(items, choices)
  await acceptDisk(dependencies, { draft, file, accepted })
  const made: string[] = []
  try {
    const skillIds = await acceptSkills(dependencies, { ...acceptance, accepted, made })
    const request: CreateAgent = {
      name: await nameFor(dependencies, acceptance),
      description: plainLine(file.description, ''),
      workspaceId: draft.workspaceId,
      instructions: accepted.instructions ? file.instructions : '',
      modelId: await dependencies.modelFor(file),
      skillIds,
      connectionIds: accepted.connections,
      environment: accepted.environment && draft.environmentId !== null ? { id: draft.environmentId } : null,
    }
    const agent = await dependencies.agents.create(userId, request, {
      id: draft.id,
      sha256: draft.sha256,
      close: acceptance.close,
    })
    return { agent, accepted }
  } catch (error) {
    for (const id of made) await dependencies.skills.delete(userId, id)
    throw error
  }
}

/** The choices, each of which the file offers. */
function acceptedOf(items: AgentDraft, { sha256, ...choices }: AcceptAgentDraft): AcceptedItems {
  if (sha256 !== items.file.sha256) throw agentDraftOtherFile({ sha256: items.file.sha256 })
  const { instructions = false, environment = false, variables = false } = choices
  const { services = [], skills = [], connections = [] } = choices
  if (environment && items.environment === null) throw agentDraftNotOffered({ item: 'environment' })
  if (variables && !environment) throw agentDraftNotOffered({ item: 'variables' })
  const offers = {
    service: environment ? items.services.map(({ name }) => name) : [],
    skill: items.skills.items.filter(({ here }) => here !== 'different').map(({ name }) => name),
    connection: items.connections.items.flatMap(({ here }) => here?.id ?? []),
  }
  const wanted = { service: services, skill: skills, connection: connections }
  for (const kind of ['service', 'skill', 'connection'] as const) {
    const unknown = wanted[kind].find((name) => !offers[kind].includes(name))
    if (unknown !== undefined) throw agentDraftNotOffered({ item: `${kind} ${unknown}` })
  }
  return { instructions, environment, variables, services, skills, connections }
}

async function acceptDisk(
  { environments }: AcceptDraftDependencies,
  { draft, file, accepted }: Pick<Acceptance, 'draft' | 'file'> & { accepted: AcceptedItems },
): Promise<void> {
  if (!accepted.environment || draft.environmentId === null || file.computer === null) return
  const services = file.computer.services.filter(({ name }) => accepted.services.includes(name))
  const { rescue } = file.computer
  await environments.accept(draft.environmentId, { services, rescue, hasVariables: accepted.variables })
}

/** Uses an existing skill with the same content. Null: the file names none, so its threads have those they have anyway. */
async function acceptSkills(
  { skills }: AcceptDraftDependencies,
  order: Acceptance & { accepted: AcceptedItems; made: string[] },
): Promise<string[] | null> {
  const { userId, draft, file, items, accepted, made } = order
  if (file.skills === null) return null
  const present = (await skills.list(userId)).skills.filter((one) => isInScope(one, draft.workspaceId))
  const ids: string[] = []
  for (const name of new Set(accepted.skills)) {
    const isSame = items.skills.items.some((item) => item.name === name && item.here === 'same')
    const existing = isSame ? present.find((one) => one.name === name) : undefined
    if (existing !== undefined) {
      ids.push(existing.id)
      continue
    }
    const files = await order.skillFiles(name)
    const { id } = await skills.create(userId, draft.workspaceId, async () => checkSkill(files, name))
    made.push(id)
    ids.push(id)
  }
  return ids
}

/** Whether a thread in this scope has it: its own, or the workspace’s. */
export function isInScope(item: { workspaceId: string | null }, workspaceId: string | null): boolean {
  return [null, workspaceId].includes(item.workspaceId)
}

async function nameFor({ agents }: AcceptDraftDependencies, { userId, draft, file }: Acceptance): Promise<string> {
  const inScope = (await agents.list(userId)).agents.filter((agent) => agent.workspaceId === draft.workspaceId)
  const taken = new Set(inScope.map(({ name }) => nameKey(name)))
  return freeName(plainLine(file.name, 'Imported'), (name) => taken.has(nameKey(name)))
}
