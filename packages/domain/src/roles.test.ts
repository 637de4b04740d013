import { expect, test } from 'vitest'
import { isWorkspaceRole, roleAllows, workspaceActions } from './roles.ts'

test('C12: an owner may do everything, nobody without a role anything, and what is no role is none', () => {
  expect(workspaceActions.filter((action) => roleAllows('owner', action))).toEqual([...workspaceActions])
  expect(workspaceActions.filter((action) => roleAllows(undefined, action))).toEqual([])
  expect(['owner', 'Owner', 'admin', '', 'constructor'].filter(isWorkspaceRole)).toEqual(['owner'])
})
