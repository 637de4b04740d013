import type { Display } from '@threadbox/protocol/public'
import { z } from 'zod'
import { excerptOfText } from '../../platform/texts/excerpt.logic.ts'
import { readStored, resultBlob } from '../../threads/public.ts'
import type { CallOutcome, ModelOutput } from '../record/turn-record.ts'
import { makeDisplayRoom, maxDisplays, storeDisplay } from './display.ts'
import { type ExecutionEnd, followExecution } from './follow-run.ts'
import { endStatusOf, outputForModel, plain } from './run-outcome.ts'
import { defineTool, type ToolContext } from './tool.ts'

const defaultTimeoutSeconds = 1800

const input = z.object({
  code: z.string().min(1).max(200_000).describe('Python code. The value of the last expression is returned.'),
  timeout_seconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe(`Time limit. Default ${defaultTimeoutSeconds}.`),
})

/** Runs code in the thread's only Python kernel. */
export const runPython = defineTool({
  name: 'run_python',
  description:
    "Runs Python code in this thread's Jupyter kernel. Variables, functions and imports persist across calls and " +
    'messages. The user sees figures (matplotlib, plotly), tables and HTML rendered; you get the printed output, the ' +
    'value of the last expression and, if your model can see images, the last figure. %pip and ! work. Calls run one ' +
    'at a time.',
  input,
  recovery: 'attach',
  isWriting: false,
  run: async ({ code, timeout_seconds }, context) => {
    const timeoutMs = (timeout_seconds ?? defaultTimeoutSeconds) * 1000
    const displays: Display[] = []
    const room = makeDisplayRoom(context.call.displays)
    const end = await followExecution(context, {
      start: { case: 'startCell', value: { code, timeoutMs } },
      onDisplay: async (display) => {
        const admitted = room.admit(display)
        if (admitted === undefined) return
        const stored = await storeDisplay(admitted, context)
        displays.push(stored)
        await context.recorder.display(stored)
      },
    })
    return outcomeOf(context, { end, timeoutMs, displays, omittedDisplays: room.omitted() })
  },
})

async function outcomeOf(
  context: ToolContext,
  run: { end: ExecutionEnd; timeoutMs: number; displays: readonly Display[]; omittedDisplays: number },
): Promise<CallOutcome> {
  const ended = run.end.kind === 'ended' ? run.end.ended : undefined
  const traceback = ended === undefined || ended.errorName === '' ? null : plain(ended.traceback)
  const { status, error } = endStatusOf(run.end, { timeoutMs: run.timeoutMs, isSuccess: traceback === null })
  const printed = await outputForModel(context)
  const values = run.displays.flatMap((display) => plainFormOf(display))
  const omitted = omittedNote(run.omittedDisplays)
  const parts = [
    printed,
    ...values,
    omitted,
    traceback === null ? '' : excerptOfText(traceback, context.outputCharacters).text,
    error === null ? '' : `${error.message} ${error.remedy}`,
  ].filter((part) => part !== '')
  const image = await lastImage(context, run.displays)
  return {
    status,
    // Displays were recorded one by one as they arrived; the caller prepends those recorded by a previous server.
    result: { kind: 'python', displays: [...run.displays, ...noteDisplay(context, omitted)], traceback },
    error,
    output: {
      text: parts.length === 0 ? '(no output)' : excerptOfText(parts.join('\n'), context.outputCharacters * 2).text,
      isError: traceback !== null || error !== null,
      ...(image === undefined ? {} : { image }),
    },
  }
}

function omittedNote(count: number): string {
  return count === 0 ? '' : `[${count} more rich results were omitted: a cell can have ${maxDisplays}]`
}

function noteDisplay({ call }: ToolContext, text: string): Display[] {
  if (text === '') return []
  return [{ id: `${call.id}-omitted`, items: [{ mediaType: 'text/plain', text, sizeBytes: Buffer.byteLength(text) }] }]
}

/** The plain text of a result, or the type of what the user sees. */
function plainFormOf(display: Display): string[] {
  const text = display.items.find((item) => item.mediaType === 'text/plain')?.text
  const rich = display.items.filter((item) => item.mediaType !== 'text/plain').map((item) => item.mediaType)
  const shown = rich.length === 0 ? '' : `[shown to the user: ${rich[0]}]`
  return [[shown, text ?? ''].filter((part) => part !== '').join(' ')].filter((part) => part !== '')
}

const maxImageBytes = 4 * 1024 * 1024

async function lastImage(context: ToolContext, displays: readonly Display[]): Promise<ModelOutput['image']> {
  const items = displays.flatMap((display) => display.items)
  const item = items.findLast(({ mediaType }) => mediaType === 'image/png' || mediaType === 'image/jpeg')
  if (item?.url === undefined || item.sizeBytes > maxImageBytes) return undefined
  const name = item.url.slice(item.url.lastIndexOf('/') + 1)
  const { key } = resultBlob(context.call, name)
  const head = await readStored(context.blobs, { key, offset: 0, length: 1 })
  return head.length === 0 ? undefined : { key, mediaType: item.mediaType }
}
