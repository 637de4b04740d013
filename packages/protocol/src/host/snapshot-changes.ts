import { z } from 'zod'

/** A cache or package directory, and how many files in it differ: they are neither named nor in another count. */
export const folderChangesSchema = z.object({
  name: z.string(),
  removedCount: z.number().int(),
  changedCount: z.number().int(),
  addedCount: z.number().int(),
})
export type FolderChanges = z.infer<typeof folderChangesSchema>

/**
 * `GET /v1/sandboxes/{sandboxId}/snapshots/{snapshotId}/changes`, or with {@link imageSnapshot}: what of the disk differs
 * from it, by looking at both, without what belongs to threadbox. At most 1000 files of each kind, those in home directories
 * first; the counts are of all.
 */
export const snapshotChangesSchema = z.object({
  files: z.array(
    z.object({
      name: z.string(),
      bytesBefore: z.number().nullable(),
      bytesNow: z.number().nullable(),
      /** Lines that came since, and that went, of a changed text file; null where they were not counted. */
      lines: z.object({ added: z.number().int(), removed: z.number().int() }).nullable().default(null),
    }),
  ),
  removedCount: z.number().int(),
  changedCount: z.number().int(),
  addedCount: z.number().int(),
  folders: z.array(folderChangesSchema).default([]),
})
export type SnapshotChanges = z.infer<typeof snapshotChangesSchema>

/** In the place of the id of a snapshot: the image that the disk was made from. */
export const imageSnapshot = 'image'
