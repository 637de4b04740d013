export type ThreadEvents = {
  /** What the sidebar shows of the thread may have changed. After a crash, pages read the list when they reconnect. */
  'sidebar-changed': { threadId: string }
  /** The threads in these workspaces have changed. After a crash, pages read the list when they reconnect. */
  'threads-listed': { workspaceIds: readonly (string | null)[] }
  /** The thread was deleted: listeners stop what runs in it. After a crash its erasers stop it. */
  'thread-deleted': { threadId: string }
  /**
   * Threads were moved, deleted or restored, or values of a workspace changed: what they inherit has changed. The
   * request that changed it waits for the listeners. After a crash each listener reads again, at the start and whenever
   * it uses what is inherited.
   */
  'inheritance-changed': Record<string, never>
  /**
   * A network policy was changed. The request that changed it waits for the listeners. After a crash each listener reads
   * again, at the start and whenever it uses what is inherited.
   */
  'network-changed': Record<string, never>
  /**
   * A secret or a grant was changed. The request that changed it waits for the listeners. After a crash each listener
   * reads again, at the start and whenever it uses what is granted.
   */
  'secrets-changed': Record<string, never>
  /**
   * A file was uploaded to the thread. The upload waits for the listeners. After a crash the file is delivered at the
   * next use of the sandbox.
   */
  'upload-stored': { threadId: string }
}
