import { z } from 'zod'

/** A path inside the sandbox: absolute, without NUL; `..` is resolved inside, it cannot leave the sandbox. */
export const sandboxPathSchema = z
  .string()
  .min(1)
  .max(4096)
  .startsWith('/')
  .refine((path) => !path.includes('\0'), 'A path cannot contain NUL.')

/** Something in a sandbox's folder. A symbolic link has type, size and time of what it leads to, where there is something. */
export const fileEntrySchema = z
  .object({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'directory', 'symlink', 'other']),
    sizeBytes: z.number().int(),
    modifiedAt: z.number().int(),
    permissions: z.string(),
    /** Changes with every write: the file's `etag`, and what `if-match` takes. */
    version: z.string(),
    /** Where a symbolic link leads; null for anything else. */
    linkTarget: z.string().nullable(),
  })
  .meta({ id: 'FileEntry' })
export type FileEntry = z.infer<typeof fileEntrySchema>

/** How many entries one answer has at most. */
export const maxFilesPerPage = 10_000

/** Part of a folder in the order of names. */
export const filesPageSchema = z
  .object({
    entries: z.array(fileEntrySchema),
    /** How many entries the folder has; names that are not UTF-8 count, and cannot be shown. */
    total: z.number().int(),
    /** Pass as `after` for the part that follows; null at the end. */
    next: z.string().nullable(),
  })
  .meta({ id: 'FilesPage' })
export type FilesPage = z.infer<typeof filesPageSchema>

export const moveFileSchema = z.strictObject({ from: sandboxPathSchema, to: sandboxPathSchema })
export const makeFolderSchema = z.strictObject({ path: sandboxPathSchema })

/** Paths below a folder, as `a/b.txt`. */
export const pathsBelowSchema = z
  .array(z.string().min(1).max(4096).refine(isBelow, 'must be a relative path without empty parts, `.` or `..`'))
  .max(200)

export function isBelow(path: string): boolean {
  return !path.includes('\0') && !path.split('/').some((part) => part === '' || part === '.' || part === '..')
}

/** `POST /threads/{id}/files/copies`: what is copied, out of the sandbox of another thread of the same person. */
export const copyFilesSchema = z.strictObject({
  fromThreadId: z.string().min(1).max(64),
  paths: z.array(sandboxPathSchema).min(1).max(200),
  /** The folder that it goes into. */
  to: sandboxPathSchema,
  /** A name of the caller's for it: with one, `files-copying` over `GET /events` says how far it is. */
  copyId: z.string().min(1).max(64).optional(),
})
export type CopyFiles = z.input<typeof copyFilesSchema>

export const copiedFilesSchema = z
  .object({
    files: z.number().int(),
    bytes: z.number().int(),
    /** What was not copied: links, pipes, and what is not readable. */
    skipped: z.array(z.string()),
  })
  .meta({ id: 'CopiedFiles' })
export type CopiedFiles = z.infer<typeof copiedFilesSchema>

/** How many folders one person can have watched in a thread. */
export const maxWatchedFolders = 32
/** `PUT /threads/{id}/files/watch`: the folders that a pane shows. */
export const watchFilesSchema = z.strictObject({ paths: z.array(sandboxPathSchema).max(maxWatchedFolders) })
export type MoveFile = z.input<typeof moveFileSchema>
