import { expect, test } from 'vitest'
import {
  type Action,
  actions,
  confirmationMs,
  defaultKeyScopes,
  isWorkspaceRole,
  keyScopes,
  lackOf,
  roleAllows,
  workspaceActions,
} from './roles.ts'

const all = Object.keys(actions) as Action[]

test('C12: an owner may do everything, users without a role nothing, and other values are not roles', () => {
  expect(workspaceActions.filter((action) => roleAllows('owner', action))).toEqual([...workspaceActions])
  expect(workspaceActions.filter((action) => roleAllows(undefined, action))).toEqual([])
  expect(['owner', 'Owner', 'admin', '', 'constructor'].filter(isWorkspaceRole)).toEqual(['owner'])
})

test('a key with every scope can’t do what requires a person, and can do everything else', () => {
  for (const action of all) {
    const requirement = actions[action]
    const isForPeople = requirement === 'session' || requirement === 'confirmed'
    expect(lackOf({ scopes: keyScopes, isLimited: false }, action, 0), action).toEqual(
      isForPeople ? { kind: 'session' } : undefined,
    )
  }
})

test('a key can do what its scope names and nothing else', () => {
  for (const scope of keyScopes) {
    const allowed = all.filter((action) => lackOf({ scopes: [scope], isLimited: false }, action, 0) === undefined)
    expect(allowed).toEqual(all.filter((action) => actions[action] === scope || actions[action] === 'nothing'))
  }
  expect(lackOf({ scopes: defaultKeyScopes, isLimited: true }, 'audit.read', 0)).toEqual({
    kind: 'scope',
    scope: 'audit',
  })
})

test('a key that is limited to workspaces can’t do what is in none', () => {
  const refused = all.filter((action) => lackOf({ scopes: keyScopes, isLimited: true }, action, 0)?.kind === 'place')
  expect(refused).toEqual(['machine.read', 'settings.read', 'settings.manage', 'audit.read', 'git-credentials.read'])
})

test('a confirmation counts for ten minutes, also if the clock was set back since', () => {
  const at = 1_800_000_000_000
  const lacks = (nowMs: number) => lackOf({ confirmedAt: at }, 'models.manage', nowMs)
  expect(lacks(at + confirmationMs - 1)).toBeUndefined()
  expect(lacks(at + confirmationMs)).toEqual({ kind: 'confirmation' })
  expect(lacks(at - confirmationMs)).toEqual({ kind: 'confirmation' })
  expect(all.filter((action) => lackOf({ confirmedAt: 0 }, action, at) !== undefined)).toEqual(
    all.filter((action) => actions[action] === 'confirmed'),
  )
})
