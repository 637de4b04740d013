import { defineError } from '@threadbox/errors'
import { pathIsDirectoryCode } from '@threadbox/protocol/guest'

type PathDetails = { path: string }

export const fileMissing = defineError<PathDetails>({
  code: 'file.missing',
  kind: 'not-found',
  message: ({ path }) => `${path} doesn’t exist.`,
  remedy: () => 'Check the path, or list its parent directory.',
})
export const fileForbidden = defineError<PathDetails>({
  code: 'file.forbidden',
  kind: 'forbidden',
  message: ({ path }) => `Permission denied: ${path}`,
  remedy: () => 'Use another path, change its permissions, or run as root.',
})
export const fileExists = defineError<PathDetails>({
  code: 'file.exists',
  kind: 'conflict',
  message: ({ path }) => `${path} already exists.`,
  remedy: () => 'Use another name, or delete it first.',
})
export const pathInvalid = defineError<PathDetails & { problem: string }>({
  code: 'file.path-invalid',
  kind: 'invalid',
  message: ({ path, problem }) => `Can’t use ${path}: ${problem}.`,
  remedy: () => 'Use the path of a regular file or directory.',
})
export const pathIsDirectory = defineError<PathDetails>({
  code: pathIsDirectoryCode,
  kind: 'invalid',
  message: ({ path }) => `${path} cannot be used: it is a directory.`,
  remedy: () => 'Use the path of a regular file.',
})
export const diskFull = defineError<PathDetails>({
  code: 'file.disk-full',
  kind: 'out-of-space',
  message: ({ path }) => `Not enough disk space in the sandbox for ${path}.`,
  remedy: () => 'Delete files in the sandbox, or raise its disk limit.',
})
export const uploadInvalid = defineError<{ problem: string }>({
  code: 'file.upload-invalid',
  kind: 'invalid',
  message: ({ problem }) => `Can’t read the upload: ${problem}.`,
  remedy: () => 'Send the bytes as application/octet-stream, or as multipart/form-data in the field “file”.',
})
export const rangeInvalid = defineError<PathDetails>({
  code: 'file.range-invalid',
  kind: 'invalid',
  message: ({ path }) => `The range is outside ${path}.`,
  remedy: () => 'Request a range within the file’s size.',
})

const invalidProblems: Record<string, string> = {
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'it leads through too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EINVAL: 'the system does not allow it',
  ENXIO: 'it is not a regular file',
  ERR_INVALID_ARG_VALUE: 'it contains a NUL character',
}

/** Runs a file operation; turns system errors into cataloged errors that name `path`. */
export async function withFileErrors<Result>(path: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation()
  } catch (error) {
    throw translateFileError(error, path)
  }
}

function translateFileError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  const options = { cause: error }
  switch (code) {
    case 'ENOENT':
      return fileMissing({ path }, options)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fileForbidden({ path }, options)
    case 'EEXIST':
    case 'ENOTEMPTY':
      return fileExists({ path }, options)
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull({ path }, options)
    case 'EISDIR':
      return pathIsDirectory({ path }, options)
    default: {
      const problem = invalidProblems[code ?? '']
      return problem === undefined ? error : pathInvalid({ path: path.replaceAll('\0', '\\0'), problem }, options)
    }
  }
}
