import type { SignUp } from '@threadbox/sdk'
import { checkPassword } from './password-rules.ts'

export type SignUpForm = { name: string; email: string; password: string }
export type SignUpProblem = 'missing' | 'not-an-email' | 'too-short' | 'too-long'
export type SignUpProblems = Partial<Record<keyof SignUpForm, SignUpProblem>>

/** The problem of each field that prevents sending the form. The server validates again. */
export function problemsOfSignUp(form: SignUpForm): SignUpProblems {
  const problems: SignUpProblems = {}
  if (form.name.trim() === '') problems.name = 'missing'
  else if (form.name.trim().length > 80) problems.name = 'too-long'
  const email = problemOfEmail(form.email)
  if (email !== null) problems.email = email
  const password = checkPassword(form.password)
  if (password.problem !== null) problems.password = password.problem
  return problems
}

/** Rejects only what certainly isn’t an address: whether it exists can’t be checked here. */
export function problemOfEmail(email: string): 'missing' | 'not-an-email' | null {
  if (email.trim() === '') return 'missing'
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) ? null : 'not-an-email'
}

export function signUpRequest(form: SignUpForm, token: string): SignUp {
  return { token, name: form.name.trim(), email: form.email.trim(), password: form.password }
}

/** The fields that `request.invalid` names, so that its message is shown beside them. */
export function fieldProblemsOf<Field extends string>(
  error: { code: string; details: Record<string, unknown> },
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  const { fields: names, sentences } = error.details
  const named: Partial<Record<Field, string>> = {}
  if (error.code !== 'request.invalid' || !Array.isArray(names) || !Array.isArray(sentences)) return named
  for (const [index, name] of names.entries()) {
    const field = fields.find((candidate) => candidate === name)
    if (field !== undefined) named[field] ??= String(sentences[index])
  }
  return named
}
