import type { GroupMapping, JoinRule, SignInProvider } from '@threadbox/sdk'

/** The fields of a provider’s dialog, as texts. */
export type ProviderForm = {
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  rule: JoinRule
  domains: string
  group: string
  claim: string
  source: 'id-token' | 'userinfo'
  mappings: string
  linkByVerifiedEmail: boolean
  recheckHours: string
}

export function formOf(provider: SignInProvider | null): ProviderForm {
  return {
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: '',
    rule: provider?.join.rule ?? 'invited',
    domains: provider?.join.domains.join(', ') ?? '',
    group: provider?.join.group ?? '',
    claim: provider?.groups.claim ?? '',
    source: provider?.groups.source ?? 'id-token',
    mappings: (provider?.groups.mappings ?? [])
      .filter(isPlain)
      .map(({ group, role }) => `${group} = ${role}`)
      .join('\n'),
    linkByVerifiedEmail: provider?.linkByVerifiedEmail ?? false,
    recheckHours: String(provider?.recheckHours ?? 8),
  }
}

export type ProviderProblem = 'missing' | 'not-a-url' | 'mappings' | 'hours'
export function problemsOfProvider(form: ProviderForm): Partial<Record<keyof ProviderForm, ProviderProblem>> {
  const hours = Number(form.recheckHours)
  return {
    ...(form.name.trim() === '' && { name: 'missing' as const }),
    ...(form.clientId.trim() === '' && { clientId: 'missing' as const }),
    ...(!/^https?:\/\/./.test(form.issuer.trim()) && { issuer: 'not-a-url' as const }),
    ...(form.rule === 'domains' && listOf(form.domains).length === 0 && { domains: 'missing' as const }),
    ...(form.rule === 'group' && form.group.trim() === '' && { group: 'missing' as const }),
    ...(needsClaim(form) && form.claim.trim() === '' && { claim: 'missing' as const }),
    ...(mappingsOf(form.mappings) === undefined && { mappings: 'mappings' as const }),
    ...(!(Number.isInteger(hours) && hours >= 1 && hours <= 168) && { recheckHours: 'hours' as const }),
  }
}

/** `before`: what the fields can’t show of it is kept, such as workspaces that groups give. */
export function settingsIn(form: ProviderForm, before: SignInProvider | null) {
  const others = (before?.groups.mappings ?? []).filter((mapping) => !isPlain(mapping))
  return {
    name: form.name.trim(),
    clientId: form.clientId.trim(),
    ...(form.clientSecret === '' ? {} : { clientSecret: form.clientSecret }),
    join: {
      rule: form.rule,
      domains: form.rule === 'domains' ? listOf(form.domains) : [],
      group: form.rule === 'group' ? form.group.trim() : null,
    },
    groups: {
      claim: form.claim.trim() || null,
      source: form.source,
      mappings: [...(mappingsOf(form.mappings) ?? []), ...others],
    },
    linkByVerifiedEmail: form.linkByVerifiedEmail,
    recheckHours: Number(form.recheckHours),
  }
}

function needsClaim(form: ProviderForm): boolean {
  return form.rule === 'group' || form.mappings.trim() !== ''
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
}

/** Undefined: a line is not `group = role`. */
function mappingsOf(text: string): GroupMapping[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const mappings = lines.map((line) => /^\s*(.*\S)\s*=\s*(admin|member)\s*$/.exec(line))
  if (mappings.includes(null)) return undefined
  return mappings.map((found) => ({
    group: found?.[1] ?? '',
    role: found?.[2] === 'admin' ? 'admin' : 'member',
    workspaceId: null,
    workspaceRole: null,
    presetId: null,
  }))
}

function isPlain({ role, workspaceId, presetId }: GroupMapping): boolean {
  return role !== null && workspaceId === null && presetId === null
}
