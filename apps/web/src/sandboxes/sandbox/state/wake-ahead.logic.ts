import type { SandboxView } from '@threadbox/sdk'

/** Commands that need no awake sandbox. */
const quietCommand = /^\s*\/(?!(?:run|python|share)\b)/

/**
 * True if typing is reason enough to wake the sandbox before the message is sent: it sleeps with its memory, and the
 * message will need it. A single character may be a slip, and a command may still become one that needs no sandbox.
 */
export function shouldWakeOnTyping(sandbox: SandboxView, typed: string): boolean {
  if (sandbox.state !== 'paused' || (sandbox.waiting ?? null) !== null) return false
  return typed.trim().length >= 2 && !quietCommand.test(typed)
}
