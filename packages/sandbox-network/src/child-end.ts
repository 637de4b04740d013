import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** How a process ended; `reason` if it could not be started. */
export type ChildEnd = { code?: number | null; signal?: string | null; reason?: string }

export async function endOf(child: ChildProcess): Promise<ChildEnd> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    return { code, signal }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
