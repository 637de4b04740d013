import { Code, ConnectError } from '@connectrpc/connect'
import { fileNotFound } from '../state/file.errors.ts'
import { fileRefused, sandboxDiskFull } from '../state/sandboxes.errors.ts'
import { fileExists } from './files.errors.ts'

/** Resolves with the guest’s response about a path, and converts its errors to those about that path. */
export async function onPath<Answer>(path: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ConnectError ? pathError(error, path) : error
  }
}

function pathError(error: ConnectError, path: string): Error {
  if (error.code === Code.NotFound) return fileNotFound({ path }, { cause: error })
  if (error.code === Code.AlreadyExists) return fileExists({ path }, { cause: error })
  if (error.code === Code.ResourceExhausted) return sandboxDiskFull({ path }, { cause: error })
  const isAboutPath = [Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition].includes(error.code)
  return isAboutPath ? fileRefused({ path, problem: error.rawMessage }, { cause: error }) : error
}
