export type ThreadEvents = {
  /** What the sidebar shows of the thread may have changed. After a crash, pages read the list when they connect again. */
  'sidebar-changed': { threadId: string }
  /** These workspaces have other threads than before. After a crash, as above. */
  'threads-listed': { workspaceIds: readonly (string | null)[] }
  /** The thread was deleted: what runs in it is to be stopped. After a crash its erasers stop it. */
  'thread-deleted': { threadId: string }
  /**
   * Threads were moved, deleted or brought back, or values of a workspace changed: they inherit something else than before.
   * Whoever changed it waits. After a crash each listener reads again, at the start and whenever it uses what is inherited.
   */
  'inheritance-changed': Record<string, never>
  /** A file was uploaded into the thread. Whoever uploads waits. After a crash it is delivered when the sandbox is used next. */
  'upload-stored': { threadId: string }
}
