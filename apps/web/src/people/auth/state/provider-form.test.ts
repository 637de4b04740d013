import type { SignInProvider } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { formOf, problemsOfProvider, settingsIn } from './provider-form.ts'

const leads = { group: 'Team = leads', role: 'admin', workspaceId: null, workspaceRole: null, presetId: null } as const
const inWorkspace = { ...leads, group: 'all', role: null, workspaceId: 'w1', workspaceRole: 'member' } as const
const provider: SignInProvider = {
  id: '01',
  name: 'Company',
  issuer: 'https://issuer.example/',
  clientId: 'id',
  hasClientSecret: true,
  join: { rule: 'domains', domains: ['example.com', 'example.org'], group: null },
  groups: { claim: 'groups', source: 'userinfo', mappings: [leads, inWorkspace] },
  linkByVerifiedEmail: true,
  recheckHours: 4,
  addresses: { callback: '', logout: '' },
}

test('a provider that is saved without a change stays as it is, with what the fields can’t show', () => {
  const { name, clientId, join, groups, linkByVerifiedEmail, recheckHours } = provider
  const settings = { name, clientId, join, groups, linkByVerifiedEmail, recheckHours }
  expect(settingsIn(formOf(provider), provider)).toEqual(settings)
})

test('fields say what is missing or wrong', () => {
  expect(problemsOfProvider(formOf(provider))).toEqual({})
  const empty = formOf(null)
  expect(problemsOfProvider(empty)).toEqual({ name: 'missing', clientId: 'missing', issuer: 'not-a-url' })
  const wrong = { ...formOf(provider), rule: 'group' as const, claim: '', mappings: 'a = owner', recheckHours: '169' }
  expect(problemsOfProvider(wrong)).toEqual({
    group: 'missing',
    claim: 'missing',
    mappings: 'mappings',
    recheckHours: 'hours',
  })
})
