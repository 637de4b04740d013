/** The roles in a workspace. Outside of workspaces, the creator of a thread is its owner. */
export const workspaceRoles = ['owner', 'member', 'viewer'] as const
export type WorkspaceRole = (typeof workspaceRoles)[number]

/**
 * Actions on a workspace and what is in it. `read`: view. `work`: write, run, add threads. `change`: rewind, delete, move
 * or share a thread; edit an agent, a skill, or what starts runs. `manage`: name, policy, members and instructions of the
 * workspace, its connections and secrets.
 */
export const workspaceActions = ['read', 'work', 'change', 'manage'] as const
export type WorkspaceAction = (typeof workspaceActions)[number]

/** `own`: only with what the person has created. */
export type Allowance = 'all' | 'own' | 'none'

/** What each role allows. The access checks, the app’s buttons and the documentation derive from this table. */
export const roleAllowances: Record<WorkspaceRole, Record<WorkspaceAction, Allowance>> = {
  owner: { read: 'all', work: 'all', change: 'all', manage: 'all' },
  member: { read: 'all', work: 'all', change: 'own', manage: 'none' },
  viewer: { read: 'all', work: 'none', change: 'none', manage: 'none' },
}

/**
 * Whether a user with this role may do this with something that is or isn’t their own. Without a role nothing is allowed,
 * not even knowing that the workspace exists.
 */
export function roleAllows(role: WorkspaceRole | undefined, action: WorkspaceAction, isOwn: boolean): boolean {
  if (role === undefined) return false
  const allowance = roleAllowances[role][action]
  return allowance === 'all' || (allowance === 'own' && isOwn)
}

export function isWorkspaceRole(value: string): value is WorkspaceRole {
  return (workspaceRoles as readonly string[]).includes(value)
}

/** The roles in the installation. There is one owner. */
export const personRoles = ['owner', 'admin', 'member'] as const
export type PersonRole = (typeof personRoles)[number]

export function isPersonRole(value: string): value is PersonRole {
  return (personRoles as readonly string[]).includes(value)
}

/** Whether someone with the first role can change, disable or sign in again someone with the second. */
export function canManagePerson(role: PersonRole, other: PersonRole): boolean {
  return role === 'owner' ? other !== 'owner' : role === 'admin' && other === 'member'
}

/** What an API key can be allowed to do. */
export const keyScopes = [
  'read',
  'work',
  'approve',
  'share',
  'agents',
  'workspace',
  'admin',
  'machine',
  'metrics',
  'audit',
] as const
export type KeyScope = (typeof keyScopes)[number]

/** The scopes of keys from before scopes existed, and of a key for which none are named. */
export const defaultKeyScopes = ['read', 'work', 'share', 'agents', 'workspace'] as const satisfies readonly KeyScope[]

/**
 * What an action requires of the sender. A scope: a key with it, or a session. `session`: a signed-in person, never a
 * key. `confirmed`: a person who signed in, or confirmed with password or passkey, within `confirmationMs`. `nothing`: anyone.
 */
export type ActionRequirement = KeyScope | 'session' | 'confirmed' | 'nothing'

/** How long a sign-in, or a password that was entered again, counts as a confirmation. */
export const confirmationMs = 10 * 60_000

/**
 * Every action of the public API. Each route names one; access checks, the OpenAPI document and the documentation derive
 * from this table. A key never creates keys, people, secrets, model addresses or Allow rules.
 */
export const actions = {
  'setup.read': 'nothing',
  'account.sign-in': 'nothing',
  'account.read': 'read',
  /** Sign out, sessions, name. The password is changed with the current one, which confirms it. */
  'account.manage': 'session',
  'account.confirm': 'session',
  /** Erase one’s own account. */
  'account.erase': 'confirmed',
  /** A copy of everything that is one’s own. */
  'account.export': 'session',
  /** Offer ownership of the installation, and accept it. */
  'ownership.change': 'confirmed',
  'keys.list': 'session',
  'keys.manage': 'confirmed',
  /** The providers with which a person signs in. */
  'identities.read': 'session',
  'identities.manage': 'confirmed',
  /** The providers of the installation, for its owner. */
  'sign-in.list': 'session',
  'sign-in.manage': 'confirmed',
  'passkeys.list': 'session',
  /** Add and remove: a browser that is left open must not be enough to sign in from elsewhere later. */
  'passkeys.manage': 'confirmed',
  'machine.read': 'machine',
  /** Pause or stop any sandbox, without seeing what is in it. */
  'machine.stop': 'machine',
  'backups.read': 'machine',
  /** Restore and the recovery key are only on the machine. */
  'backups.run': 'machine',
  'metrics.read': 'metrics',
  'settings.read': 'admin',
  'settings.manage': 'admin',
  'audit.read': 'audit',
  'models.read': 'read',
  'models.discover': 'session',
  'models.manage': 'confirmed',
  'threads.read': 'read',
  'threads.work': 'work',
  'threads.fork': 'work',
  'threads.export': 'work',
  /** Rewind, delete, move, make private. */
  'threads.change': 'work',
  'threads.approve': 'approve',
  /** Approve a call and its tool from then on. */
  'threads.approve-always': 'confirmed',
  'threads.share': 'share',
  /** Give a thread to another person. */
  'threads.hand-over': 'confirmed',
  /** As the owner or an admin, read a thread that one isn’t in. */
  'threads.oversee': 'confirmed',
  'previews.open': 'work',
  'sandboxes.read': 'read',
  'sandboxes.work': 'work',
  'workspaces.read': 'read',
  'workspaces.manage': 'workspace',
  'workspaces.delete': 'confirmed',
  /** Add and remove members, and change their roles. */
  'workspaces.members': 'confirmed',
  'workspaces.leave': 'session',
  /** The names of the people here. */
  'people.read': 'read',
  /** Invite, change roles, disable, and help people to sign in again. */
  'people.manage': 'confirmed',
  'people.list-invites': 'session',
  'network.read': 'read',
  /** Change the policy of the installation. */
  'network.manage': 'confirmed',
  /** Change the policy of a thread. */
  'network.narrow': 'work',
  /** Let a level reach more than before. */
  'network.widen': 'confirmed',
  'connections.read': 'read',
  'connections.test': 'session',
  'connections.manage': 'confirmed',
  /** Finish a sign-in at a server, which started as `connections.manage`. */
  'connections.finish-login': 'session',
  'git-credentials.read': 'read',
  'git-credentials.manage': 'confirmed',
  'git-credentials.grant': 'confirmed',
  'secrets.read': 'read',
  'secrets.manage': 'confirmed',
  /** Let a thread or a workspace use a secret. */
  'secrets.grant': 'confirmed',
  /** End that: never waits for a password. */
  'secrets.revoke': 'session',
  'skills.read': 'read',
  'skills.manage': 'agents',
  'agents.read': 'read',
  'agents.manage': 'agents',
  /** Review and accept an agent file. */
  'agents.import': 'session',
  /** What requests to models cost. */
  'usage.read': 'read',
  'runs.read': 'read',
  'runs.manage': 'agents',
} as const satisfies Record<string, ActionRequirement>
export type Action = keyof typeof actions

type KeyAction = { [Name in Action]: (typeof actions)[Name] extends KeyScope ? Name : never }[Action]

/**
 * Where the subjects of an action are, for keys that are limited to workspaces. `workspace`: in a workspace; such a key
 * reaches those in its own. `everywhere`: what every key needs, such as the list of models. `outside`: the
 * installation’s, or a person’s without a workspace; such a key is refused.
 */
const placeOfAction: Record<KeyAction, 'workspace' | 'everywhere' | 'outside'> = {
  'account.read': 'everywhere',
  'machine.read': 'outside',
  'machine.stop': 'outside',
  'backups.read': 'outside',
  'backups.run': 'outside',
  'metrics.read': 'outside',
  'settings.read': 'outside',
  'settings.manage': 'outside',
  'audit.read': 'outside',
  'models.read': 'everywhere',
  'threads.read': 'workspace',
  'threads.work': 'workspace',
  'threads.fork': 'workspace',
  'threads.export': 'workspace',
  'threads.change': 'workspace',
  'threads.approve': 'workspace',
  'threads.share': 'workspace',
  'previews.open': 'workspace',
  'sandboxes.read': 'workspace',
  'sandboxes.work': 'workspace',
  'workspaces.read': 'workspace',
  'people.read': 'everywhere',
  'workspaces.manage': 'workspace',
  'connections.read': 'workspace',
  'git-credentials.read': 'outside',
  'secrets.read': 'workspace',
  'skills.read': 'workspace',
  'skills.manage': 'workspace',
  'agents.read': 'workspace',
  'agents.manage': 'workspace',
  'usage.read': 'outside',
  'runs.read': 'workspace',
  'runs.manage': 'workspace',
  'network.read': 'workspace',
  'network.narrow': 'workspace',
}

/**
 * What a request needs of the person’s role in the thread that its path names. All others need `work`; forks and exports
 * of what a person can read are their own.
 */
const roleActions: Partial<Record<Action, WorkspaceAction>> = {
  'threads.read': 'read',
  'threads.fork': 'read',
  'threads.export': 'read',
  'threads.change': 'change',
  'threads.share': 'change',
  'threads.hand-over': 'change',
  'sandboxes.read': 'read',
  'network.read': 'read',
  'secrets.read': 'read',
  'skills.read': 'read',
  'git-credentials.read': 'read',
}

export function roleActionOf(action: Action | null): WorkspaceAction {
  return (action !== null && roleActions[action]) || 'work'
}

export function isKeyScope(value: string): value is KeyScope {
  return (keyScopes as readonly string[]).includes(value)
}

/**
 * The sender of a request: a key with its scopes and whether it is limited to workspaces, or a session with the last
 * moment at which its person confirmed.
 */
export type Sender = { scopes: readonly KeyScope[]; isLimited: boolean } | { confirmedAt: number }

/** What the sender lacks for the action; undefined if it is allowed. Roles are checked in addition. */
export function lackOf(
  sender: Sender,
  action: Action,
  nowMs: number,
): { kind: 'session' | 'confirmation' | 'place' } | { kind: 'scope'; scope: KeyScope } | undefined {
  const requirement: ActionRequirement = actions[action]
  if (requirement === 'nothing') return undefined
  if ('scopes' in sender) {
    if (requirement === 'session' || requirement === 'confirmed') return { kind: 'session' }
    if (!sender.scopes.includes(requirement)) return { kind: 'scope', scope: requirement }
    return sender.isLimited && placeOfAction[action as KeyAction] === 'outside' ? { kind: 'place' } : undefined
  }
  if (requirement !== 'confirmed') return undefined
  // A moment in the future comes from a clock that was set back: it counts no longer than one in the past.
  return Math.abs(nowMs - sender.confirmedAt) < confirmationMs ? undefined : { kind: 'confirmation' }
}
