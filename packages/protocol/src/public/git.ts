import { z } from 'zod'
import { isBelow } from './files.ts'

/** Limits of changed files, and of repositories, in one response. */
export const maxGitFiles = 2000
export const maxGitRepositories = 100

export const gitChangeSchema = z.enum([
  'modified',
  'added',
  'deleted',
  'renamed',
  'type-changed',
  'conflicted',
  'untracked',
])
export type GitChange = z.infer<typeof gitChangeSchema>

/** A file of a working tree that differs from the last commit. Paths are relative to the repository’s folder. */
export const gitFileSchema = z
  .object({
    /** A trailing slash marks an untracked folder that is a separate repository. */
    path: z.string(),
    /** Its name in the last commit; null if it had the same name or did not exist. */
    from: z.string().nullable(),
    change: gitChangeSchema,
    isBinary: z.boolean(),
    /** Null where git counts none: binary and untracked files. */
    addedLines: z.number().int().nullable(),
    removedLines: z.number().int().nullable(),
  })
  .meta({ id: 'GitFile' })
export type GitFile = z.infer<typeof gitFileSchema>

export const gitTreeSchema = z
  .object({
    root: z.string(),
    /** Null if no branch is checked out. */
    branch: z.string().nullable(),
    /** Null before the first commit. */
    commit: z.string().nullable(),
    upstream: z.string().nullable(),
    ahead: z.number().int(),
    behind: z.number().int(),
    /** Ordered by path. */
    files: z.array(gitFileSchema),
    /** Number of changed files beyond those in `files`; null if they are too many to count. */
    moreFiles: z.number().int().nullable(),
    /** How many of the files not listed have a name that is not UTF-8. */
    unreadableNames: z.number().int(),
  })
  .meta({ id: 'GitTree' })
export type GitTree = z.infer<typeof gitTreeSchema>

/** `GET /threads/{id}/git`: the repositories at, above and below a folder, and the working tree of one of them. */
export const gitLookSchema = z
  .object({
    repositories: z.array(z.string()),
    /** False if the search stopped early: there were too many folders, or too many repositories. */
    areAllFound: z.boolean(),
    /** Of the repository that contains the folder, otherwise of the first one; null if there is none. */
    tree: gitTreeSchema.nullable(),
  })
  .meta({ id: 'GitLook' })
export type GitLook = z.infer<typeof gitLookSchema>

/** A path relative to the repository’s folder. */
export const gitFilePathSchema = z.string().min(1).max(4096).refine(isBelow, 'must be a path below the repository')

/** `GET /threads/{id}/git/diff`: the changes in one file since the last commit, staged or not. */
export const gitDiffSchema = z
  .object({
    isBinary: z.boolean(),
    /** Modes as git writes them, if they differ. */
    modes: z.object({ before: z.string(), after: z.string() }).nullable(),
    /** Hunks of a unified diff. */
    diff: z.string(),
    /** Whole lines, or ends of lines, were left out of `diff`. */
    isCut: z.boolean(),
    /** Lines of `diff`. */
    addedLines: z.number().int(),
    removedLines: z.number().int(),
  })
  .meta({ id: 'GitDiff' })
export type GitDiff = z.infer<typeof gitDiffSchema>
