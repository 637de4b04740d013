import type { SignUp } from '@threadbox/sdk'
import { checkPassword } from './password-rules.ts'

export type SignUpForm = { name: string; email: string; password: string }
export type SignUpProblem = 'missing' | 'not-an-email' | 'too-short' | 'too-long'
export type SignUpProblems = Partial<Record<keyof SignUpForm, SignUpProblem>>

/** What keeps the form from being sent, per field. The server checks again. */
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

/** Only what is certainly no address: whether it exists, nobody here can know. */
export function problemOfEmail(email: string): 'missing' | 'not-an-email' | null {
  if (email.trim() === '') return 'missing'
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) ? null : 'not-an-email'
}

export function signUpRequest(form: SignUpForm, token: string): SignUp {
  return { token, name: form.name.trim(), email: form.email.trim(), password: form.password }
}

/**
 * The fields that an error of the server names, so that its sentence stands where the problem is. `request.invalid`
 * lists problems as `field: sentence`.
 */
export function fieldProblemsOf<Field extends string>(
  error: { code: string; details: Record<string, unknown> },
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  const problems = error.code === 'request.invalid' ? error.details.problems : undefined
  const named: Partial<Record<Field, string>> = {}
  for (const problem of Array.isArray(problems) ? problems : []) {
    const [name, ...sentence] = String(problem).split(': ')
    const field = fields.find((candidate) => candidate === name)
    if (field !== undefined) named[field] ??= sentence.join(': ')
  }
  return named
}
