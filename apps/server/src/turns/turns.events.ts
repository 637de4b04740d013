export type TurnEvents = {
  /** A model was connected. Whoever connects it waits. It is an offer to threads that waited for one, and can be lost. */
  'model-connected': { name: string }
  /**
   * The turn has ended, and that is recorded. After a crash runs look every 30 s; what the turn installed can be missed.
   */
  'turn-ended': { turnId: string; threadId: string; status: 'finished' | 'stopped' | 'failed' }
}
