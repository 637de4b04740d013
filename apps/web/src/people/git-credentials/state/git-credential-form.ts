import type { CreateGitCredential, GitAccess, GitCredential, UpdateGitCredential } from '@threadbox/sdk'

/** The values of the Git credential form. The server never returns a stored token, so its field is empty. */
export type GitCredentialForm = {
  address: string
  username: string
  token: string
  access: GitAccess
  /** One per line. */
  repositories: string
  workspaceIds: readonly string[]
}
export type GitCredentialField = 'address' | 'username' | 'token' | 'repositories'
export type GitCredentialProblem = 'missing' | 'not-an-address' | 'no-spaces' | 'no-colon' | 'not-repositories'
export type GitCredentialProblems = Partial<Record<GitCredentialField, GitCredentialProblem>>

export function gitFormOf(saved: GitCredential | null): GitCredentialForm {
  return {
    address: saved === null ? '' : serverOf(saved.address),
    username: saved?.username ?? '',
    token: '',
    access: saved?.access ?? 'read',
    repositories: saved?.repositories.join('\n') ?? '',
    workspaceIds: saved?.workspaceIds ?? [],
  }
}

/** The short form: the server name, with the protocol only if it isn’t https. */
export function serverOf(address: string): string {
  return address.replace(/^https:\/\//, '')
}

/** The problems of the form, by field. */
export function gitProblemsOf(form: GitCredentialForm, saved: GitCredential | null): GitCredentialProblems {
  const problems: GitCredentialProblems = {}
  const address = form.address.trim()
  if (address === '') problems.address = 'missing'
  else if (!/^(https?:\/\/)?[^\s/@?#]+\/?$/i.test(address)) problems.address = 'not-an-address'
  if (form.username.trim() === '') problems.username = 'missing'
  else if (/\s/.test(form.username.trim())) problems.username = 'no-spaces'
  else if (form.username.includes(':')) problems.username = 'no-colon'
  if (form.token.trim() === '') {
    if (saved === null) problems.token = 'missing'
  } else if (/\s/.test(form.token.trim())) problems.token = 'no-spaces'
  const isRepository = (name: string) => /^[A-Za-z0-9._~+-]+(\/[A-Za-z0-9._~+-]+)*\/([A-Za-z0-9._~+-]+|\*)$/.test(name)
  if (!repositoriesIn(form).every(isRepository)) problems.repositories = 'not-repositories'
  return problems
}

export function createGitRequest(form: GitCredentialForm): CreateGitCredential {
  return { ...shared(form), address: form.address.trim(), token: form.token.trim() }
}

/** Without a token the stored one stays. */
export function updateGitRequest(form: GitCredentialForm): UpdateGitCredential {
  const token = form.token.trim()
  return { ...shared(form), ...(token === '' ? {} : { token }) }
}

function shared(form: GitCredentialForm) {
  const { access, workspaceIds } = form
  return {
    username: form.username.trim(),
    access,
    repositories: repositoriesIn(form),
    workspaceIds: [...workspaceIds],
  }
}

function repositoriesIn(form: GitCredentialForm): string[] {
  return form.repositories
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
