import { z } from 'zod'

/** A path inside the sandbox: absolute, without NUL; `..` is resolved inside and cannot leave the sandbox. */
export const sandboxPathSchema = z
  .string()
  .min(1)
  .max(4096)
  .startsWith('/')
  .refine((path) => !path.includes('\0'), 'A path cannot contain NUL.')

/** An entry of a sandbox’s folder. A symbolic link has type, size and time of its target, if that exists. */
export const fileEntrySchema = z
  .object({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'directory', 'symlink', 'other']),
    sizeBytes: z.number().int(),
    modifiedAt: z.number().int(),
    permissions: z.string(),
    /** Changes with every write: the file’s `etag`, and the value for `if-match`. */
    version: z.string(),
    /** Target of a symbolic link; null for anything else. */
    linkTarget: z.string().nullable(),
  })
  .meta({ id: 'FileEntry' })
export type FileEntry = z.infer<typeof fileEntrySchema>

/** Limit of entries in one response. */
export const maxFilesPerPage = 10_000

/** Part of a folder, ordered by name. */
export const filesPageSchema = z
  .object({
    entries: z.array(fileEntrySchema),
    /** How many entries the folder has, including those that cannot be shown because their name is not UTF-8. */
    total: z.number().int(),
    /** Pass as `after` for the next part; null at the end. */
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

/** `POST /threads/{id}/files/copies`: what to copy from the sandbox of another thread of the same user. */
export const copyFilesSchema = z.strictObject({
  fromThreadId: z.string().min(1).max(64),
  paths: z.array(sandboxPathSchema).min(1).max(200),
  /** The destination folder. */
  to: sandboxPathSchema,
  /** Chosen by the caller: with it, `files-copying` over `GET /events` reports progress. */
  copyId: z.string().min(1).max(64).optional(),
})
export type CopyFiles = z.input<typeof copyFilesSchema>

export const copiedFilesSchema = z
  .object({
    files: z.number().int(),
    bytes: z.number().int(),
    /** Items not copied: links, pipes, and unreadable ones. */
    skipped: z.array(z.string()),
  })
  .meta({ id: 'CopiedFiles' })
export type CopiedFiles = z.infer<typeof copiedFilesSchema>

/** Limit of folders that one user can watch in a thread. */
export const maxWatchedFolders = 32
/** `PUT /threads/{id}/files/watch`: the folders that a pane shows. */
export const watchFilesSchema = z.strictObject({ paths: z.array(sandboxPathSchema).max(maxWatchedFolders) })
export type MoveFile = z.input<typeof moveFileSchema>
