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
/** The scopes of a key for which none are named. */
export const defaultKeyScopes = ['read', 'work', 'share', 'agents', 'workspace'] as const
export type KeyScope = (typeof keyScopes)[number]
