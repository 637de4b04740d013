import { runs } from '@threadbox/protocol/guest'
import { excerptOf, formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { openKeptOutput, outputKey, readOutput } from '../../threads/public.ts'
import type { CallOutcome } from '../record/turn-record.ts'
import type { ExecutionEnd } from './follow-run.ts'
import { callErrorOf } from './outcomes.ts'
import { homeDirectory } from './sandbox-files.ts'
import type { ToolContext } from './tool.ts'
import {
  callInterrupted,
  callStopped,
  commandOutOfMemory,
  commandOutOfProcesses,
  commandSignalled,
  commandTimedOut,
  kernelDied,
} from './tools.errors.ts'

/** The status of an ended execution and, unless it simply exited, the reason. */
export function endStatusOf(
  end: ExecutionEnd,
  options: { timeoutMs: number; isSuccess: boolean },
): { status: CallOutcome['status']; error: CallOutcome['error'] } {
  if (end.kind === 'lost') return { status: 'interrupted', error: callErrorOf(callInterrupted({})) }
  if (end.kind === 'stop-unconfirmed') return { status: 'stopped', error: callErrorOf(callStopped({})) }
  const { cause, message, signal } = end.ended
  switch (cause) {
    case runs.EndCause.STOPPED:
      return { status: 'stopped', error: callErrorOf(callStopped({})) }
    case runs.EndCause.TIMEOUT:
      return {
        status: 'failed',
        error: callErrorOf(commandTimedOut({ seconds: Math.round(options.timeoutMs / 1000) })),
      }
    case runs.EndCause.OUT_OF_MEMORY:
      return { status: 'failed', error: callErrorOf(commandOutOfMemory({ detail: message })) }
    case runs.EndCause.OUT_OF_PROCESSES:
      return { status: 'failed', error: callErrorOf(commandOutOfProcesses({ detail: message })) }
    case runs.EndCause.KERNEL_DIED:
      return { status: 'failed', error: callErrorOf(kernelDied({})) }
    case runs.EndCause.SIGNALLED:
      return { status: 'failed', error: callErrorOf(commandSignalled({ signal })) }
    default:
      return { status: options.isSuccess ? 'succeeded' : 'failed', error: null }
  }
}

/** The part of an execution's output for the model, with a note on where the rest is. */
export async function outputForModel(context: ToolContext): Promise<string> {
  const { call, blobs, outputCharacters } = context
  const { sizeBytes, kept } = context.recorder.tail()
  const key = outputKey(call)
  const read = async (offset: number, length: number) =>
    new TextDecoder().decode(await readOutput(blobs, { key, offset, length }))
  if (kept === undefined && sizeBytes <= outputCharacters) return plain(await read(0, sizeBytes))
  const headBytes = Math.floor((outputCharacters * 2) / 3)
  const tailFrom = Math.max(sizeBytes - (outputCharacters - headBytes), kept?.tailFrom ?? 0)
  const head = await read(0, Math.min(headBytes, kept?.headBytes ?? headBytes))
  const tail = await read(tailFrom, sizeBytes - tailFrom)
  const { text } = excerptOf({ head: plain(head), tail: plain(tail), sizeBytes, isWhole: false })
  return `${text}\n[${kept === undefined ? await saveWhole(context, sizeBytes) : notKeptNote({ sizeBytes, kept })}]`
}

function notKeptNote({
  sizeBytes,
  kept,
}: {
  sizeBytes: number
  kept: { headBytes: number; tailFrom: number }
}): string {
  const { headBytes, tailFrom } = kept
  return [
    `The command wrote ${sizeBytes} bytes. The first ${headBytes} and the last ${sizeBytes - tailFrom} were kept for the user;`,
    `${tailFrom - headBytes} bytes in between were not kept. To see all of it, run the command again and redirect its output to a file.`,
  ].join(' ')
}

/** Saves the complete output where the agent can read it, unless it is too large. */
async function saveWhole(context: ToolContext, sizeBytes: number): Promise<string> {
  const tooLarge = `The full output (${formatBytes(sizeBytes)}) was not saved in the sandbox. To see all of it, run the command again and redirect its output to a file.`
  if (sizeBytes > context.savedOutputBytes) return tooLarge
  const path = `${homeDirectory}/.threadbox/outputs/${context.call.id}.txt`
  try {
    const { content } = await openKeptOutput(context.blobs, outputKey(context.call))
    await context.sandbox.upload(path, content)
    return `The full output (${formatBytes(sizeBytes)}) is in ${path}; read parts of it with read_file.`
  } catch {
    // The sandbox is gone or full; the result of the command is still valid.
    return tooLarge
  }
}

/** Removes terminal colors and cursor movements, and keeps only the last state of overwritten lines. */
export function plain(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are control characters.
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
      .replaceAll('\r\n', '\n')
      .split('\n')
      .map((line) => (line.includes('\r') ? (line.split('\r').findLast((part) => part !== '') ?? '') : line))
      .join('\n')
  )
}
