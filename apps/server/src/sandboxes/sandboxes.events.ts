export type SandboxEvents = {
  /** The sandbox of this thread is in another state, or was found awake. After a crash the start checks all awake ones. */
  'sandbox-changed': { threadId: string }
  /** A sandbox was used, which may move the time of its pause. Missed ones are made up for: the policy looks every 30 s. */
  'sandbox-used': { sandboxId: string }
  /** A sandbox sleeps or ended. Missed ones are made up for: whoever waits for a place tries every 3 s. */
  'capacity-released': Record<string, never>
  /** The last turn of the thread let go of its sandbox. After a crash the disk is looked at when the next one does. */
  'sandbox-released': { threadId: string }
  /** The host can be reached from now on, or cannot. After a crash each listener does the same at the start. */
  'host-changed': { isReachable: boolean }
}
