import { z } from 'zod'

/** A cache or package directory, and how many files in it differ: they are neither named nor counted elsewhere. */
export const folderChangesSchema = z.object({
  name: z.string(),
  removedCount: z.number().int(),
  changedCount: z.number().int(),
  addedCount: z.number().int(),
})
export type FolderChanges = z.infer<typeof folderChangesSchema>

/**
 * `GET /v1/sandboxes/{sandboxId}/snapshots/{snapshotId}/changes`, or with {@link imageSnapshot}: differences between
 * the disk and the snapshot, compared on both, without threadbox’s own files. At most 1000 files of each kind, those in
 * home directories first; the counts cover all.
 */
export const snapshotChangesSchema = z.object({
  files: z.array(
    z.object({
      name: z.string(),
      bytesBefore: z.number().nullable(),
      bytesNow: z.number().nullable(),
      /** Lines added and removed since the snapshot in a changed text file; null where they were not counted. */
      lines: z.object({ added: z.number().int(), removed: z.number().int() }).nullable().default(null),
    }),
  ),
  removedCount: z.number().int(),
  changedCount: z.number().int(),
  addedCount: z.number().int(),
  folders: z.array(folderChangesSchema).default([]),
})
export type SnapshotChanges = z.infer<typeof snapshotChangesSchema>

/** Used as a snapshot id: the image that the disk was created from. */
export const imageSnapshot = 'image'
