/** Keys whose values never reach a log, at any depth that threadbox’s objects have. The only list of them. */
export const secretKeys = [
  'password',
  'apiKey',
  'accessToken',
  'token',
  'secret',
  'cookie',
  'authorization',
  'masterKey',
] as const

export const removed = '[removed]'

/** Replaces the values of these keys at any depth, in a line that is already written. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretKey(key) ? removed : withoutSecrets(item)]),
  )
}

function isSecretKey(key: string): boolean {
  return secretKeys.some((secret) => secret === key)
}
