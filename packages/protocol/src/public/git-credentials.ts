import { z } from 'zod'

/** What a Git credential allows: clone and fetch, or push as well. */
export const gitAccesses = ['read', 'push'] as const
export type GitAccess = (typeof gitAccesses)[number]

export const gitCredentialSchema = z
  .object({
    id: z.string(),
    /** Its server, such as `https://github.com`. */
    address: z.string(),
    username: z.string(),
    access: z.enum(gitAccesses),
    /** `owner/name`, or `owner/*` for all of an owner. Empty: all repositories of the server. */
    repositories: z.array(z.string()),
    /** Workspaces whose threads can use it. */
    workspaceIds: z.array(z.string()),
    /** Number of threads that are allowed to use it themselves, not through their workspace. */
    threadCount: z.number().int(),
    lastUsedAt: z.number().int().nullable(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'GitCredential' })
export type GitCredential = z.infer<typeof gitCredentialSchema>

/** A credential in relation to a thread. */
export const threadGitCredentialSchema = gitCredentialSchema
  .pick({ id: true, address: true, username: true, access: true, repositories: true })
  .extend({
    /** Allowed for the thread itself. */
    isAllowed: z.boolean(),
    /** Allowed for all threads of its workspace. */
    isAllowedByWorkspace: z.boolean(),
  })
  .meta({ id: 'ThreadGitCredential' })
export type ThreadGitCredential = z.infer<typeof threadGitCredentialSchema>
export const threadGitCredentialsSchema = z.object({ credentials: z.array(threadGitCredentialSchema) })

/** Without spaces and invisible characters. A username has no colon: Basic authentication ends it with one. */
const username = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must be printable characters without spaces and colons')
const token = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')

/** One segment of a path, with the characters that Git servers allow in owners and repositories. */
const segment = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~+-]+'
const repositories = z
  .array(
    z
      .string()
      .max(300)
      .regex(new RegExp(`^${segment}(/${segment})*/(${segment}|\\*)$`), 'must be owner/name or owner/*')
      .transform((name) => name.replace(/\.git$/, '')),
  )
  .max(100)
const workspaceIds = z.array(z.string().min(1).max(64)).max(200)

export const createGitCredentialSchema = z.strictObject({
  /** `github.com`, or an address without a path: `https://git.example.org:3000`. */
  address: z.string().trim().min(1).max(300),
  username,
  token,
  access: z.enum(gitAccesses),
  repositories: repositories.optional(),
  workspaceIds: workspaceIds.optional(),
})
export type CreateGitCredential = z.input<typeof createGitCredentialSchema>

/** A token belongs to the server that it was entered for, so the address can’t change. */
export const updateGitCredentialSchema = z.strictObject({
  username: username.optional(),
  token: token.optional(),
  access: z.enum(gitAccesses).optional(),
  repositories: repositories.optional(),
  workspaceIds: workspaceIds.optional(),
})
export type UpdateGitCredential = z.input<typeof updateGitCredentialSchema>

/** Credentials allowed for the thread itself; those allowed by its workspace stay. */
export const allowGitCredentialsSchema = z.strictObject({ credentialIds: z.array(z.string().min(1).max(64)).max(200) })
