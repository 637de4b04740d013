import type { Connection, ConnectionAuth, ConnectionPreset, CreateConnection, UpdateConnection } from '@threadbox/sdk'

/** The form of a connection as it is typed. A stored token never comes back, so its field is empty. */
export type ConnectionForm = {
  name: string
  url: string
  authKind: ConnectionAuth['kind']
  header: string
  secret: string
  /** Empty: for all threads of the person. */
  workspaceId: string
}
export type ConnectionField = 'name' | 'url' | 'header' | 'secret'
export type ConnectionProblem = 'missing' | 'not-a-url' | 'not-a-header'

export function emptyForm(preset: ConnectionPreset | null): ConnectionForm {
  const needsSecret = preset === null || preset.needs !== 'nothing'
  return {
    name: preset?.name ?? '',
    url: preset?.url ?? '',
    authKind: !needsSecret ? 'none' : preset?.header == null ? 'bearer' : 'header',
    header: preset?.header ?? '',
    secret: '',
    workspaceId: '',
  }
}

export function formOf(connection: Connection): ConnectionForm {
  return {
    name: connection.name,
    url: connection.url,
    authKind: connection.auth.kind,
    header: connection.auth.header ?? '',
    secret: '',
    workspaceId: connection.workspaceId ?? '',
  }
}

/** Whether the token that is stored goes on being used with what the form says. */
export function keepsSecret(form: ConnectionForm, saved: Connection | null): boolean {
  if (saved === null || form.secret !== '' || form.authKind === 'none') return false
  const isSameHeader = form.authKind === 'bearer' || form.header.trim() === saved.auth.header
  return saved.auth.kind === form.authKind && isSameHeader && form.url.trim() === saved.url
}

/** What is wrong with the form, by field. */
export function problemsOf(
  form: ConnectionForm,
  saved: Connection | null,
): Partial<Record<ConnectionField, ConnectionProblem>> {
  const problems: Partial<Record<ConnectionField, ConnectionProblem>> = {}
  if (form.name.trim() === '') problems.name = 'missing'
  if (form.url.trim() === '') problems.url = 'missing'
  else if (!/^https?:\/\/[^\s/]+/.test(form.url.trim())) problems.url = 'not-a-url'
  if (form.authKind === 'header' && !/^[A-Za-z][A-Za-z0-9-]*$/.test(form.header.trim()))
    problems.header = 'not-a-header'
  if (form.authKind !== 'none' && form.secret.trim() === '' && !keepsSecret(form, saved)) problems.secret = 'missing'
  return problems
}

export function createRequest(form: ConnectionForm, preset: ConnectionPreset | null): CreateConnection {
  return {
    name: form.name.trim(),
    url: form.url.trim(),
    auth: authOf(form),
    workspaceId: form.workspaceId === '' ? null : form.workspaceId,
    ...(preset === null ? {} : { preset: preset.id }),
  }
}

/** Only what is another than before: address and token together, because one was entered for the other. */
export function updateRequest(form: ConnectionForm, saved: Connection): UpdateConnection {
  const isMoved = form.url.trim() !== saved.url
  const isSameAuth =
    form.authKind === 'none' ? saved.auth.kind === 'none' : keepsSecret({ ...form, url: saved.url }, saved)
  return {
    name: form.name.trim(),
    ...(isMoved ? { url: form.url.trim() } : {}),
    ...(isSameAuth ? {} : { auth: authOf(form) }),
  }
}

function authOf(form: ConnectionForm): ConnectionAuth {
  const secret = form.secret.trim()
  if (form.authKind === 'none') return { kind: 'none' }
  if (form.authKind === 'bearer') return { kind: 'bearer', token: secret }
  return { kind: 'header', header: form.header.trim(), value: secret }
}
