import { z } from 'zod'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { CallOutcome } from '../record/turn-record.ts'
import { diffOf } from './file-diff.models.ts'
import { failedWith, succeeded } from './outcomes.ts'
import { readText } from './sandbox-files.ts'
import type { ToolContext } from './tool.ts'
import { callInterrupted } from './tools.errors.ts'

const planSchema = z.object({ before: z.string().nullable(), after: z.string() })

/**
 * Changes one text file so that a crash at any point leaves no doubt: before the write, the hashes of what is there and
 * of what will be there are recorded. A call that is taken up again looks which of the two the file has: the old one, and
 * it writes; the new one, and the work was done; neither, and somebody else changed it, so nothing is touched.
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
