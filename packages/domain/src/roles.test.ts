import { expect, test } from 'vitest'
import {
  type Action,
  actions,
  confirmationMs,
  defaultKeyScopes,
  isPersonRole,
  isWorkspaceRole,
  keyScopes,
  lackOf,
  roleActionOf,
  roleAllows,
  type WorkspaceRole,
  workspaceActions,
} from './roles.ts'

const all = Object.keys(actions) as Action[]

const allowed = (role: WorkspaceRole | undefined, isOwn: boolean) =>
  workspaceActions.filter((action) => roleAllows(role, action, isOwn))

test('C12: an owner can do everything, a viewer only read, and a person without a role nothing', () => {
  for (const isOwn of [true, false]) {
    expect(allowed('owner', isOwn)).toEqual(['read', 'work', 'change', 'manage'])
    expect(allowed('viewer', isOwn)).toEqual(['read'])
    expect(allowed(undefined, isOwn)).toEqual([])
  }
})

test('C12: a member works in everything and changes what they created', () => {
  expect(allowed('member', true)).toEqual(['read', 'work', 'change'])
  expect(allowed('member', false)).toEqual(['read', 'work'])
})

test('C12: other values are not roles', () => {
  expect(['owner', 'Owner', 'admin', '', 'constructor'].filter(isWorkspaceRole)).toEqual(['owner'])
  expect(['owner', 'Member', 'viewer', 'admin', 'toString'].filter(isPersonRole)).toEqual(['owner', 'admin'])
})

test('C12: what a request needs of a role is at least what its scope says', () => {
  for (const action of all) if (actions[action] === 'read') expect(['read', 'work']).toContain(roleActionOf(action))
  expect(roleActionOf('threads.change')).toBe('change')
  expect(roleActionOf(null)).toBe('work')
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
  expect(refused).toEqual([
    'machine.read',
    'machine.stop',
    'backups.read',
    'backups.run',
    'metrics.read',
    'settings.read',
    'settings.manage',
    'audit.read',
    'git-credentials.read',
    'usage.read',
  ])
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
