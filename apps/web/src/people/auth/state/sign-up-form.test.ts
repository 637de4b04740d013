import { describe, expect, it } from 'vitest'
import { fieldProblemsOf, problemsOfSignUp, signUpRequest } from './sign-up-form.ts'

const good = { name: ' Owner ', email: ' owner@example.org ', password: 'correct horse battery' }

describe('the sign-up form', () => {
  it('reports every missing field', () => {
    expect(problemsOfSignUp({ name: ' ', email: '', password: '' })).toEqual({
      name: 'missing',
      email: 'missing',
      password: 'too-short',
    })
  })

  it.each(['owner', 'owner@', '@example.org', 'owner@example', 'a b@example.org'])('rejects %s', (email) => {
    expect(problemsOfSignUp({ ...good, email }).email).toBe('not-an-email')
  })

  it('sends names without surrounding spaces, and the password exactly', () => {
    expect(problemsOfSignUp(good)).toEqual({})
    expect(signUpRequest({ ...good, password: ' spaces count here ' }, 't')).toEqual({
      token: 't',
      name: 'Owner',
      email: 'owner@example.org',
      password: ' spaces count here ',
    })
  })
})

describe('problems reported by the server', () => {
  const error = (details: Record<string, unknown>) => ({ code: 'request.invalid', details })
  const fields = ['email', 'password'] as const

  it('are shown at their field', () => {
    const details = { fields: ['email', 'other', 'email'], sentences: ['Invalid email: x', 'no', 'a second one'] }
    expect(fieldProblemsOf(error(details), fields)).toEqual({ email: 'Invalid email: x' })
  })

  it('are empty if the error is another one or has no list', () => {
    expect(fieldProblemsOf(error({ problems: ['email: x'] }), fields)).toEqual({})
    const details = { fields: ['email'], sentences: ['x'] }
    expect(fieldProblemsOf({ code: 'auth.wrong', details }, fields)).toEqual({})
  })
})
