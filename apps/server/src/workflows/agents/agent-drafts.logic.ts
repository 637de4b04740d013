import type { AgentDraft, AgentDraftService, AgentDraftSkill } from '@threadbox/protocol/public'
import type { KeptService } from '../../sandboxes/public.ts'
import { type AgentFile, addressOf } from './agent-file.logic.ts'

/** A skill of a draft; its content is a blob with this digest. */
export type DraftSkill = {
  name: string
  description: string
  digest: string
  files: AgentDraftSkill['files']
}

/** The current version of the agent with the draft’s name in its scope. Null lists: all that exist. */
export type Twin = {
  agentId: string
  name: string
  version: number
  instructions: string
  modelId: string | null
  hasEnvironment: boolean
  services: readonly KeptService[]
  skills: readonly { name: string; digest: string }[] | null
  connections: readonly { id: string; name: string }[] | null
}

/** What exists in the scope of a draft. */
export type DraftPlace = {
  twin: Twin | undefined
  /** The model that the agent would use. */
  modelId: string | null
  skills: readonly { name: string; digest: string }[]
  connections: readonly { id: string; name: string; preset: string | null; url: string }[]
}

type Items = Pick<
  AgentDraft,
  'comparedWith' | 'instructions' | 'model' | 'environment' | 'services' | 'skills' | 'connections' | 'missing'
>

/** Everything in a file that would run or be given to a model, compared with what exists. */
export function itemsOf(file: AgentFile, skills: readonly DraftSkill[], place: DraftPlace): Items {
  const { twin } = place
  const services = (file.computer?.services ?? []).map((service) => serviceItem(service, twin))
  const connections = connectionItems(file, place)
  const offered = new Set(connections.map(({ here }) => here?.id))
  const lacks = (names: readonly { name: string }[]) => (one: { name: string }) =>
    !names.some(({ name }) => name === one.name)
  return {
    comparedWith: twin === undefined ? null : { agentId: twin.agentId, name: twin.name, version: twin.version },
    instructions: instructionItem(file.instructions, twin),
    model: modelItem(file, place),
    environment: environmentItem(file, twin),
    services,
    skills: { isAll: file.skills === null, items: skills.map((skill) => skillItem(skill, place)) },
    connections: { isAll: file.connections === null, items: connections },
    missing: {
      services: namesOf(twin?.services.filter(lacks(services))),
      skills: file.skills === null ? [] : namesOf(twin?.skills?.filter(lacks(skills))),
      connections: file.connections === null ? [] : namesOf(twin?.connections?.filter(({ id }) => !offered.has(id))),
    },
  }
}

function namesOf(items: readonly { name: string }[] = []): string[] {
  return items.map(({ name }) => name)
}

function instructionItem(text: string, twin: Twin | undefined): AgentDraft['instructions'] {
  if (twin === undefined) return { text, change: null, before: null }
  if (twin.instructions === text) return { text, change: 'same', before: null }
  return { text, change: twin.instructions === '' ? 'added' : 'changed', before: twin.instructions }
}

function modelItem({ model }: AgentFile, { twin, modelId }: DraftPlace): AgentDraft['model'] {
  if (model === null) return null
  const change = twin === undefined ? null : twin.modelId === modelId ? 'same' : 'changed'
  return { ...model, isAvailable: modelId !== null, change }
}

/** Disks are not compared: a later capture of the same agent differs in countless files. */
function environmentItem({ computer }: AgentFile, twin: Twin | undefined): AgentDraft['environment'] {
  if (computer === null) return null
  const { imageId, rescue, content } = computer
  const kept = (rescue?.variables ?? []).filter(({ outcome }) => outcome === 'kept')
  return {
    imageId,
    diskBytes: content.diskBytes,
    variables: kept.map(({ name }) => name),
    hasShell: rescue?.shell.outcome === 'kept',
    change: twin === undefined || twin.hasEnvironment ? null : 'added',
  }
}

function serviceItem(service: KeptService, twin: Twin | undefined): AgentDraftService {
  const fields = serviceFields(service)
  const former = twin?.services.find(({ name }) => name === service.name)
  const before = former && serviceFields(former)
  const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(fields)
  const change = before === undefined ? 'added' : isSame ? 'same' : 'changed'
  return {
    name: service.name,
    ...fields,
    startsAtOnce: service.state === 'running' || service.state === 'starting',
    change: twin === undefined ? null : change,
    before: isSame ? null : (before ?? null),
  }
}

function serviceFields({ command, port, cwd, environment_json }: KeptService) {
  const variables = Object.entries(JSON.parse(environment_json) as Record<string, string>)
  const environment = Object.fromEntries(variables.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { command, port, cwd, environment }
}

function skillItem({ name, description, digest, files }: DraftSkill, { twin, skills }: DraftPlace): AgentDraftSkill {
  const here = skills.find((one) => one.name === name)
  const former = (twin?.skills ?? skills).find((one) => one.name === name)
  const change = former === undefined ? 'added' : former.digest === digest ? 'same' : 'changed'
  return {
    name,
    description,
    files,
    here: here === undefined ? 'new' : here.digest === digest ? 'same' : 'different',
    change: twin === undefined ? null : change,
  }
}

function connectionItems(file: AgentFile, { twin, connections }: DraftPlace): Items['connections']['items'] {
  const changeOf = (id: string | undefined) => {
    if (twin === undefined) return null
    return id !== undefined && (twin.connections ?? connections).some((one) => one.id === id) ? 'same' : 'added'
  }
  if (file.connections === null) {
    return connections.map(({ id, name, preset, url }) => {
      return { name, preset, url: addressOf(url), here: { id, name }, change: changeOf(id) }
    })
  }
  return file.connections.map(({ name, preset, url }) => {
    const address = url === null ? null : addressOf(url)
    const found = connections.find((one) => address !== null && addressOf(one.url) === address)
    const here = found === undefined ? null : { id: found.id, name: found.name }
    return { name, preset, url: address, here, change: changeOf(found?.id) }
  })
}

/** A line that looks like what it is: direction marks and other invisible characters are removed. */
export function plainLine(line: string, fallback: string): string {
  const visible = line
    .toWellFormed()
    .replaceAll(/\p{Cf}|\p{Cc}|[\u2028\u2029]/gu, '')
    .trim()
  return visible === '' ? fallback : visible
}
