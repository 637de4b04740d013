import type { AcceptAgentDraft, AgentDraft } from '@threadbox/sdk'

/** An item of a draft that a person can accept, such as `service site`. */
export type DraftItem =
  | 'instructions'
  | 'environment'
  | 'variables'
  | `service ${string}`
  | `skill ${string}`
  | `connection ${string}`

/** Everything that can be accepted. */
export function offersOf(draft: AgentDraft): DraftItem[] {
  const { environment } = draft
  const hasVariables = environment !== null && (environment.variables.length > 0 || environment.hasShell)
  return [
    ...(draft.instructions.text === '' ? [] : ['instructions' as const]),
    ...(environment === null ? [] : ['environment' as const]),
    ...(hasVariables ? ['variables' as const] : []),
    ...draft.services.map(({ name }) => `service ${name}` as const),
    ...draft.skills.items.flatMap(({ name, here }) => (here === 'different' ? [] : [`skill ${name}` as const])),
    ...draft.connections.items.flatMap(({ here }) => (here === null ? [] : [`connection ${here.id}` as const])),
  ]
}

/** Selects or clears an item. Services and variables need the environment, so they are cleared with it. */
export function toggled(chosen: ReadonlySet<DraftItem>, item: DraftItem): ReadonlySet<DraftItem> {
  const next = new Set(chosen)
  if (!next.delete(item)) next.add(item)
  if (next.has('environment')) return next
  return new Set([...next].filter((one) => one !== 'variables' && !one.startsWith('service ')))
}

/** What to accept of this draft. */
export function acceptanceOf(draft: AgentDraft, chosen: ReadonlySet<DraftItem>): AcceptAgentDraft {
  const named = (kind: 'service' | 'skill' | 'connection') =>
    [...chosen].flatMap((item) => (item.startsWith(`${kind} `) ? [item.slice(kind.length + 1)] : []))
  return {
    sha256: draft.file.sha256,
    instructions: chosen.has('instructions'),
    environment: chosen.has('environment'),
    variables: chosen.has('variables'),
    services: named('service'),
    skills: named('skill'),
    connections: named('connection'),
  }
}
