import type { SandboxView } from '@threadbox/sdk'

/** Commands that are answered without waking anything. */
const quietCommand = /^\s*\/(?!(?:run|python|share)\b)/

/**
 * Whether typing is reason enough to wake the sandbox before the message is sent: it sleeps with its memory, and what is
 * being typed will need it. A single character may be a slip, and a command may still become one that needs nothing.
 */
export function wakesAhead(sandbox: SandboxView, typed: string): boolean {
  if (sandbox.state !== 'paused' || (sandbox.waiting ?? null) !== null) return false
  return typed.trim().length >= 2 && !quietCommand.test(typed)
}
