export type TurnEvents = {
  /**
   * A model was connected. Emitting is awaited by the request that connects it. It is an offer to threads that waited
   * for a model, and can be lost.
   */
  'model-connected': { name: string }
  /**
   * The turn has ended, and its end is recorded. After a crash, runs find it within 30 s; a change that the turn
   * installed can be missed.
   */
  'turn-ended': { turnId: string; threadId: string; status: 'finished' | 'stopped' | 'failed'; seconds: number }
  /** A request to a model ended. For metrics only: what it costs is in the ledger. */
  'model-request-ended': {
    provider: string
    outcome: 'answered' | 'estimated' | 'rejected'
    seconds: number
    tokens: { input: number; cached: number; output: number }
    microUsd: number
  }
  /** Another model took over. For metrics only. */
  'model-fell-back': { cause: string }
  /** A limit did not allow a request to a model. For metrics only. */
  'quota-refused': { quota: string }
}
