import { z } from 'zod'
import { isBelow } from './files.ts'

/** How many changed files one answer names, and how many repositories. */
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

/** A file of a working tree that is not as the last commit has it. Paths are below the folder of the repository. */
export const gitFileSchema = z
  .object({
    /** One that ends with a slash is an untracked folder with a repository of its own. */
    path: z.string(),
    /** What it was called in the last commit; null when it had the same name or was not there. */
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
    /** Null when no branch is checked out. */
    branch: z.string().nullable(),
    /** Null before the first commit. */
    commit: z.string().nullable(),
    upstream: z.string().nullable(),
    ahead: z.number().int(),
    behind: z.number().int(),
    /** In the order of paths. */
    files: z.array(gitFileSchema),
    /** Files that changed beside those in `files`; null when they are too many to be counted. */
    moreFiles: z.number().int().nullable(),
    /** Of the files that are not named: those with a name that is not UTF-8. */
    unreadableNames: z.number().int(),
  })
  .meta({ id: 'GitTree' })
export type GitTree = z.infer<typeof gitTreeSchema>

/** `GET /threads/{id}/git`: the repositories at, above and below a folder, and the working tree of one of them. */
export const gitLookSchema = z
  .object({
    repositories: z.array(z.string()),
    /** False when the search was given up: there were too many folders, or too many repositories. */
    areAllFound: z.boolean(),
    /** Of the repository in which the folder lies, else of the first one; null when there is none. */
    tree: gitTreeSchema.nullable(),
  })
  .meta({ id: 'GitLook' })
export type GitLook = z.infer<typeof gitLookSchema>

/** A path below the folder of a repository. */
export const gitFilePathSchema = z.string().min(1).max(4096).refine(isBelow, 'must be a path below the repository')

/** `GET /threads/{id}/git/diff`: what became of one file since the last commit, staged or not. */
export const gitDiffSchema = z
  .object({
    isBinary: z.boolean(),
    /** Modes as git writes them, when they differ. */
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
