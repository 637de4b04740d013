import { Code, ConnectError } from '@connectrpc/connect'
import { withGuestProblem } from '../host/guest-transport.ts'
import { fileNotFound } from '../state/file.errors.ts'
import { fileRefused, sandboxDiskFull } from '../state/sandboxes.errors.ts'
import { fileExists } from './files.errors.ts'

/** A guest’s error is a sentence; the code of a sandbox can make it longer. */
const maxProblemCharacters = 500

/** Resolves with the guest’s response about a path, and converts its errors to those about that path. */
export async function onPath<Answer>(path: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ConnectError ? pathError(error, path) : error
  }
}

function pathError(error: ConnectError, path: string): unknown {
  if (error.code === Code.NotFound) return fileNotFound({ path }, { cause: error })
  if (error.code === Code.AlreadyExists) return fileExists({ path }, { cause: error })
  if (error.code === Code.ResourceExhausted) return sandboxDiskFull({ path }, { cause: error })
  const isAboutPath = [Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition].includes(error.code)
  return isAboutPath
    ? fileRefused({ path, problem: error.rawMessage.slice(0, maxProblemCharacters) }, { cause: error })
    : withGuestProblem(error)
}
