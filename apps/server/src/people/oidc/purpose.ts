/**
 * What a sign-in at a provider is for. `link`: the SHA-256 of the secret of an invite or a reset link. `confirm`: the session
 * is to count as confirmed.
 */
export type Purpose =
  | { kind: 'sign-in' }
  | { kind: 'link'; sha256: string }
  | { kind: 'connect' | 'confirm'; userId: string; sessionId: string }
