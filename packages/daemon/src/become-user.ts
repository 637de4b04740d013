/**
 * After this the process has no right of root. Call it when everything that it imports is loaded and its sockets are
 * open, and before it reads from them. For a process that isn’t root, it does nothing.
 */
export function becomeUser({ userId, groupId }: { userId: number; groupId: number }): void {
  if (process.getuid?.() !== 0) return
  process.setgroups?.([])
  process.setgid?.(groupId)
  process.setuid?.(userId)
}
