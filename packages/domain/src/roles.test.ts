import { expect, test } from 'vitest'
import { isWorkspaceRole, roleAllows, workspaceActions } from './roles.ts'

test('C12: an owner may do everything, users without a role nothing, and other values are not roles', () => {
  expect(workspaceActions.filter((action) => roleAllows('owner', action))).toEqual([...workspaceActions])
  expect(workspaceActions.filter((action) => roleAllows(undefined, action))).toEqual([])
  expect(['owner', 'Owner', 'admin', '', 'constructor'].filter(isWorkspaceRole)).toEqual(['owner'])
})
