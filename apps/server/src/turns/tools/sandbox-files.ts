import { posix } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  type AwakeSandbox,
  fileIsDirectory,
  fileNotFound,
  guestAnswerUnknown,
  isDirectoryError,
} from '../../sandboxes/public.ts'
import { fileIsBinary, fileTooLarge, fileUnavailable } from './tools.errors.ts'

export const homeDirectory = '/home/user'

/** Largest text that is held completely in memory, for an edit or a diff. */
export const maxTextBytes = 8 * 1024 * 1024

/** The absolute path that the agent means: relative paths and `~` start at its home. */
export function pathIn(path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? `${homeDirectory}${path.slice(1)}` : path
  return posix.resolve(homeDirectory, expanded)
}

/** The first `limitBytes` of a file, and whether that is the complete file. */
export async function readBytes(
  sandbox: AwakeSandbox,
  options: { path: string; limitBytes: number; signal: AbortSignal },
): Promise<{ bytes: Uint8Array; isWhole: boolean; sizeBytes: number | null }> {
  const { stream, sizeBytes } = await sandbox.download(options.path, options.signal)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      length += chunk.length
      // Leaving the loop cancels the stream, so the rest is not transferred.
      if (length > options.limitBytes) break
    }
  } catch (error) {
    options.signal.throwIfAborted()
    throw guestAnswerUnknown({ problem: 'the file broke off' }, { cause: error })
  }
  const bytes = Buffer.concat(chunks)
  return { bytes: bytes.subarray(0, options.limitBytes), isWhole: length <= options.limitBytes, sizeBytes }
}

/** A complete text file, undefined when it doesn't exist. Throws `file.too-large`, `file.is-binary`. */
export async function readText(
  sandbox: AwakeSandbox,
  options: { path: string; signal: AbortSignal },
): Promise<string | undefined> {
  const { path } = options
  try {
    const { bytes, isWhole } = await readBytes(sandbox, { ...options, limitBytes: maxTextBytes })
    if (!isWhole) throw fileTooLarge({ path, limitBytes: maxTextBytes })
    return textOf(bytes, path)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export function textOf(bytes: Uint8Array, path: string): string {
  const isBinary = bytes.subarray(0, 8192).includes(0)
  try {
    if (!isBinary) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8: the same error as for other binary files.
  }
  throw fileIsBinary({ path, sizeBytes: bytes.length })
}

export function isNotFound(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === fileNotFound.code || (error instanceof ConnectError && error.code === Code.NotFound)
}

/** The guest's error about a path as an error of the tools. Other errors are returned unchanged. */
export function fileErrorOf(error: unknown, path: string): unknown {
  if (!(error instanceof ConnectError)) return error
  if (error.code === Code.NotFound) return fileNotFound({ path }, { cause: error })
  const aboutPath = [Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition]
  if (!aboutPath.includes(error.code)) return error
  const header = (name: string) => error.metadata.get(name)
  if (isDirectoryError({ header, message: error.rawMessage })) return fileIsDirectory({ path }, { cause: error })
  return fileUnavailable({ path, problem: error.rawMessage }, { cause: error })
}
