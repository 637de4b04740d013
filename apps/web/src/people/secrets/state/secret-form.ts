import type { CreateSecret, Secret, SecretPosition, UpdateSecret } from '@threadbox/sdk'

export const shownPositions = ['header', 'query', 'body', 'path'] as const satisfies readonly SecretPosition[]
const methodNames = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The values of the form of a secret. The server never returns a value, so its field is empty. */
export type SecretForm = {
  name: string
  value: string
  /** One per line. */
  hosts: string
  /** `person`, `installation`, or the ID of a workspace. */
  owner: string
  positions: readonly SecretPosition[]
  rules: { methods: string; pathPrefix: string; headerName: string; headerPrefix: string; placeholderPrefix: string }
  workspaceIds: readonly string[]
}
export type SecretField = 'name' | 'value' | 'hosts' | 'positions' | 'methods' | 'pathPrefix'
export type SecretProblem = 'missing' | 'not-a-name' | 'no-position' | 'not-methods' | 'not-a-path'
export type SecretProblems = Partial<Record<SecretField, SecretProblem>>

/** What a form begins with when a key was found in a message. */
export type FoundSecret = { name: string; value: string; hosts: readonly string[]; placeholderPrefix: string }

export function secretFormOf(saved: Secret | null, found?: FoundSecret): SecretForm {
  return {
    name: saved?.name ?? found?.name ?? '',
    value: found?.value ?? '',
    hosts: (saved?.hosts ?? found?.hosts ?? []).join('\n'),
    owner: saved === null || saved.owner === 'person' ? 'person' : (saved.workspaceId ?? saved.owner),
    positions: saved?.positions ?? ['header'],
    rules: {
      methods: saved?.methods?.join(', ') ?? '',
      pathPrefix: saved?.pathPrefix ?? '',
      headerName: saved?.header?.name ?? '',
      headerPrefix: saved?.header?.prefix ?? '',
      placeholderPrefix: saved?.placeholderPrefix ?? found?.placeholderPrefix ?? '',
    },
    workspaceIds: saved?.workspaceIds ?? [],
  }
}

/** The problems that can be seen without the server. */
export function secretProblemsOf(form: SecretForm, saved: Secret | null): SecretProblems {
  const problems: SecretProblems = {}
  const { methods, pathPrefix, headerName } = form.rules
  if (form.name.trim() === '') problems.name = 'missing'
  else if (!/^[A-Z_][A-Z0-9_]{0,63}$/.test(form.name.trim())) problems.name = 'not-a-name'
  if (form.value === '' && saved === null) problems.value = 'missing'
  if (itemsIn(form.hosts).length === 0) problems.hosts = 'missing'
  if (form.positions.length === 0 && headerName.trim() === '') problems.positions = 'no-position'
  if (!itemsIn(methods.toUpperCase()).every(isMethod)) problems.methods = 'not-methods'
  if (pathPrefix.trim() !== '' && !/^\/[^\s?#]*$/.test(pathPrefix.trim())) problems.pathPrefix = 'not-a-path'
  return problems
}

export function createSecretRequest(form: SecretForm): CreateSecret {
  const isWorkspace = form.owner !== 'person' && form.owner !== 'installation'
  return {
    ...rulesOf(form),
    value: form.value,
    owner: isWorkspace ? 'workspace' : (form.owner as 'person' | 'installation'),
    workspaceId: isWorkspace ? form.owner : null,
  }
}

/** Without a value the stored one stays. */
export function updateSecretRequest(form: SecretForm): UpdateSecret {
  return { ...rulesOf(form), ...(form.value === '' ? {} : { value: form.value }) }
}

function rulesOf(form: SecretForm) {
  const { methods, pathPrefix, headerName, headerPrefix, placeholderPrefix } = form.rules
  const chosen = itemsIn(methods.toUpperCase()).filter(isMethod)
  return {
    name: form.name.trim(),
    hosts: itemsIn(form.hosts),
    positions: [...form.positions],
    methods: chosen.length === 0 ? null : chosen,
    pathPrefix: pathPrefix.trim() === '' ? null : pathPrefix.trim(),
    header: headerName.trim() === '' ? null : { name: headerName.trim(), prefix: headerPrefix },
    placeholderPrefix: placeholderPrefix.trim(),
  }
}

function isMethod(name: string): name is (typeof methodNames)[number] {
  return (methodNames as readonly string[]).includes(name)
}

function itemsIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
