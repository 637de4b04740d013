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
  'turn-ended': { turnId: string; threadId: string; status: 'finished' | 'stopped' | 'failed' }
}
