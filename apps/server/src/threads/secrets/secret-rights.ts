import type { CreateSecret } from '@threadbox/protocol/public'
import { ownerRequired, type Users } from '../../people/public.ts'
import type { Access } from '../access/access.ts'
import { workspaceNotFound } from '../access/workspaces.errors.ts'
import type { SecretRow } from './secrets.table.ts'
import type { SecretPlace } from './usable-secrets.ts'

export type SecretOwner = Pick<SecretRow, 'owner' | 'owner_id' | 'user_id' | 'workspace_id'>

/**
 * Who can do what with a secret. A person’s: that person. A workspace’s: who manages the workspace. The installation’s:
 * its owner.
 */
export type SecretRights = {
  mayManage(userId: string, secret: SecretOwner): Promise<boolean>
  /** Whether this person can let the thread use the secret, which they can work in. */
  mayGrant(userId: string, secret: SecretOwner, place: SecretPlace): Promise<boolean>
  /** Throws `workspace.not-found`, `auth.owner-required` and `auth.outside-workspaces`. */
  ownerFor(userId: string, request: Pick<CreateSecret, 'owner' | 'workspaceId'>): Promise<SecretOwner>
  /** Throws `workspace.not-found` unless the person can let this workspace’s threads use the secret. */
  requireWorkspaceFor(userId: string, secret: SecretOwner, workspaceId: string): Promise<void>
}

export function makeSecretRights(dependencies: {
  access: Pick<Access, 'may' | 'reaches' | 'requireOutside'>
  users: Pick<Users, 'administers' | 'mayAdminister'>
  /** Throws `workspace.not-found`. */
  requireManaged(userId: string, workspaceId: string): Promise<void>
}): SecretRights {
  const { access, users, requireManaged } = dependencies
  const mayManage: SecretRights['mayManage'] = async (userId, { owner, user_id, workspace_id }) => {
    if (owner === 'workspace')
      return await access.may(userId, 'manage', { workspaceId: workspace_id, ownerId: '', isPrivate: false })
    if (!access.reaches(userId, null)) return false
    return owner === 'person' ? user_id === userId : await users.mayAdminister(userId)
  }
  return {
    mayManage,
    mayGrant: async (userId, secret, place) => {
      if (secret.owner === 'workspace' && secret.workspace_id !== place.workspace_id) return false
      return await mayManage(userId, secret)
    },
    ownerFor: async (userId, { owner = 'person', workspaceId }) => {
      const nobody = { user_id: null, workspace_id: null }
      if (owner === 'person') {
        access.requireOutside(userId)
        return { ...nobody, owner, owner_id: userId, user_id: userId }
      }
      if (owner === 'installation') {
        if (!(await users.administers(userId))) throw ownerRequired({})
        return { ...nobody, owner, owner_id: owner }
      }
      if (workspaceId == null) throw workspaceNotFound({})
      await requireManaged(userId, workspaceId)
      return { ...nobody, owner, owner_id: workspaceId, workspace_id: workspaceId }
    },
    requireWorkspaceFor: async (userId, secret, workspaceId) => {
      if (secret.owner === 'workspace' && secret.workspace_id !== workspaceId) throw workspaceNotFound({})
      await requireManaged(userId, workspaceId)
    },
  }
}
