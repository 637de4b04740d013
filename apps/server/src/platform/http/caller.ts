/**
 * The sender of a request. `sessionId` is null for an API key. `workspaceIds`: the workspaces to which the key is
 * limited; null for a session, and for a key that reaches all that its owner does.
 */
export type Caller = {
  userId: string
  sessionId: string | null
  apiKeyId: string | null
  workspaceIds: readonly string[] | null
}
