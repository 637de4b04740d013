import { z } from 'zod'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { CallOutcome } from '../record/turn-record.ts'
import { diffOf } from './file-diff.logic.ts'
import { failedWith, succeeded } from './outcomes.ts'
import { readText } from './sandbox-files.ts'
import type { ToolContext } from './tool.ts'
import { callInterrupted } from './tools.errors.ts'

const planSchema = z.object({ before: z.string().nullable(), after: z.string() })

/**
 * Changes a text file so that the state after a crash is always clear: before the write, the hashes of the present and
 * of the new content are recorded. A resumed call compares the file with both: with the old content, it writes; with
 * the new one, the write was completed; with neither, something else changed the file, so it is left alone.
 */
export async function writePlanned(
  context: ToolContext,
  options: { path: string; change: (before: string | undefined) => string },
): Promise<CallOutcome> {
  const { path, change } = options
  const { sandbox, signal } = context
  const before = await readText(sandbox, { path, signal })
  const planned = planSchema.safeParse(context.call.plan)
  const present = before === undefined ? null : sha256Of(before)
  if (planned.success && present === planned.data.after) return alreadyDone(path)
  if (planned.success && present !== planned.data.before)
    return failedWith(callInterrupted({}), 'interrupted') as CallOutcome
  const after = change(before)
  if (!planned.success) await context.plan({ before: present, after: sha256Of(after) })
  signal.throwIfAborted()
  await sandbox.upload(path, new TextEncoder().encode(after), signal)
  const result = diffOf(path, before, after)
  const what = result.isNew ? 'Created' : 'Changed'
  const added = `${result.addedLines} ${result.addedLines === 1 ? 'line' : 'lines'} added`
  return succeeded(result, `${what} ${path}: ${added}, ${result.removedLines} removed.`)
}

function alreadyDone(path: string): CallOutcome {
  const nothing = { addedLines: 0, removedLines: 0, diff: '', isTruncated: true }
  return succeeded({ kind: 'diff', path, isNew: false, ...nothing }, `Wrote ${path}.`)
}
