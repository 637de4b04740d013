/**
 * `wake`: `way` is what it continued from, and how long its caller waited. `pause`: how long it took. `demotion`: its memory
 * was discarded in order. `fallback`: its memory could not be used; `way` is why.
 */
export type LifecycleMeasure =
  | { kind: 'wake'; way: string; seconds: number }
  | { kind: 'pause'; seconds: number }
  | { kind: 'demotion' }
  | { kind: 'fallback'; way: string }

export type SandboxEvents = {
  /**
   * The state of this thread’s sandbox changed, or it was found awake. After a crash, the start checks all awake ones.
   */
  'sandbox-changed': { threadId: string }
  /** A sandbox was used, so that its pause may move. Missed events are harmless: the policy loop checks every 30 s. */
  'sandbox-used': { sandboxId: string }
  /** A sandbox slept or ended. Missed events are harmless: the first thread in the wake queue tries every 3 s. */
  'capacity-released': Record<string, never>
  /** The last turn of the thread released its sandbox. After a crash, the disk is checked at the next such event. */
  'sandbox-released': { threadId: string }
  /** A sandbox woke, slept or lost its memory. For metrics only. */
  'lifecycle-measured': LifecycleMeasure
  /** The host can be reached from now on, or no longer. After a crash, each listener does the same at the start. */
  'host-changed': { isReachable: boolean }
}
