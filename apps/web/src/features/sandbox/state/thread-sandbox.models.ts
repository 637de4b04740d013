import type { SandboxView, Thread } from '@threadbox/sdk'

/**
 * The sandbox of a thread as it is told to a person. That a turn keeps it awake is true only while one runs: the view
 * that came with the end of a turn may still say so.
 */
export function sandboxOf(thread: Pick<Thread, 'sandbox' | 'isTurnRunning'>): SandboxView {
  const { sandbox, isTurnRunning } = thread
  return sandbox.detail?.code === 'awake.turn' && !isTurnRunning ? { ...sandbox, detail: null } : sandbox
}
