import type { Connection, ConnectionAuth, ConnectionPreset, CreateConnection, UpdateConnection } from '@threadbox/sdk'
import { isSameProgram, type ProgramForm, programFormOf, programRequest } from './program-form.ts'

/** The values of the connection form. The server never returns a stored token, so its field is empty. */
export type ConnectionForm = {
  name: string
  /** Remote server or local program; the fields of the other kind aren’t sent. */
  kind: Connection['kind']
  program: ProgramForm
  url: string
  authKind: ConnectionAuth['kind']
  header: string
  /** A token, or a client secret. */
  secret: string
  /** The ID of a client that was registered by hand. */
  clientId: string
  /** Empty: all threads of the user. */
  workspaceId: string
}
export type ConnectionField = 'name' | 'url' | 'header' | 'secret' | 'clientId'
export type ConnectionProblem = 'missing' | 'not-a-url' | 'not-a-header'

export function emptyForm(preset: ConnectionPreset | null): ConnectionForm {
  const ofToken = preset?.header == null ? 'bearer' : 'header'
  return {
    name: preset?.name ?? '',
    kind: preset?.program == null ? 'http' : 'stdio',
    program: programFormOf(preset),
    url: preset?.url ?? '',
    authKind: preset?.needs === 'nothing' ? 'none' : preset?.needs === 'oauth' ? 'oauth' : ofToken,
    header: preset?.header ?? '',
    secret: '',
    clientId: '',
    workspaceId: '',
  }
}

export function formOf(connection: Connection): ConnectionForm {
  return {
    name: connection.name,
    kind: connection.kind,
    program: programFormOf(connection),
    url: connection.url,
    authKind: connection.auth.kind,
    header: connection.auth.header ?? '',
    secret: '',
    clientId: '',
    workspaceId: connection.workspaceId ?? '',
  }
}

/** True if the stored token or session stays in use with the values of the form. */
export function keepsSecret(form: ConnectionForm, saved: Connection | null): boolean {
  if (saved === null || form.secret !== '' || form.authKind === 'none') return false
  if (form.authKind === 'oauth') {
    return saved.auth.kind === 'oauth' && form.clientId.trim() === '' && form.url.trim() === saved.url
  }
  const isSameHeader = form.authKind === 'bearer' || form.header.trim() === saved.auth.header
  return saved.auth.kind === form.authKind && isSameHeader && form.url.trim() === saved.url
}

/** The problems of the form, by field. */
export function problemsOf(
  form: ConnectionForm,
  saved: Connection | null,
): Partial<Record<ConnectionField, ConnectionProblem>> {
  const problems: Partial<Record<ConnectionField, ConnectionProblem>> = {}
  if (form.name.trim() === '') problems.name = 'missing'
  if (form.kind === 'stdio') return problems
  if (form.url.trim() === '') problems.url = 'missing'
  else if (!/^https?:\/\/[^\s/]+/.test(form.url.trim())) problems.url = 'not-a-url'
  if (form.authKind === 'header' && !/^[A-Za-z][A-Za-z0-9-]*$/.test(form.header.trim()))
    problems.header = 'not-a-header'
  const needsToken = form.authKind === 'bearer' || form.authKind === 'header'
  if (needsToken && form.secret.trim() === '' && !keepsSecret(form, saved)) problems.secret = 'missing'
  if (form.authKind === 'oauth' && form.secret !== '' && form.clientId.trim() === '') problems.clientId = 'missing'
  return problems
}

export function createRequest(form: ConnectionForm, preset: ConnectionPreset | null): CreateConnection {
  const place = {
    name: form.name.trim(),
    workspaceId: form.workspaceId === '' ? null : form.workspaceId,
    ...(preset === null ? {} : { preset: preset.id }),
  }
  if (form.kind === 'stdio') return { kind: 'stdio', ...place, ...programRequest(form.program) }
  return { kind: 'http', ...place, url: form.url.trim(), auth: authOf(form) }
}

/** Only changed fields. Address and token go together, because one was entered for the other. */
export function updateRequest(form: ConnectionForm, saved: Connection): UpdateConnection {
  const name = form.name.trim()
  if (saved.kind === 'stdio') {
    return isSameProgram(form.program, saved.program) ? { name } : { name, ...programRequest(form.program) }
  }
  const isMoved = form.url.trim() !== saved.url
  const isSameAuth =
    form.authKind === 'none' ? saved.auth.kind === 'none' : keepsSecret({ ...form, url: saved.url }, saved)
  return {
    name,
    ...(isMoved ? { url: form.url.trim() } : {}),
    ...(isSameAuth ? {} : { auth: authOf(form) }),
  }
}

function authOf(form: ConnectionForm): ConnectionAuth {
  const secret = form.secret.trim()
  if (form.authKind === 'none') return { kind: 'none' }
  if (form.authKind === 'oauth') {
    const id = form.clientId.trim()
    return { kind: 'oauth', ...(id === '' ? {} : { client: { id, ...(secret === '' ? {} : { secret }) } }) }
  }
  if (form.authKind === 'bearer') return { kind: 'bearer', token: secret }
  return { kind: 'header', header: form.header.trim(), value: secret }
}
