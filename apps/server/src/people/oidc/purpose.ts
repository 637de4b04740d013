/** What a sign-in at a provider is for. `link`: the SHA-256 of the secret of an invite or a reset link. */
export type Purpose =
  | { kind: 'sign-in' }
  | { kind: 'link'; sha256: string }
  | { kind: 'connect'; userId: string; sessionId: string }
