import { z } from 'zod'

/** What may be done with a Git credential: clone and fetch, or push as well. */
export const gitAccesses = ['read', 'push'] as const
export type GitAccess = (typeof gitAccesses)[number]

export const gitCredentialSchema = z
  .object({
    id: z.string(),
    /** The server that it is for, such as `https://github.com`. */
    address: z.string(),
    username: z.string(),
    access: z.enum(gitAccesses),
    /** `owner/name`, or `owner/*` for all of an owner. Empty: all repositories of the server. */
    repositories: z.array(z.string()),
    /** Workspaces whose threads may use it. */
    workspaceIds: z.array(z.string()),
    /** How many threads may use it by themselves. */
    threadCount: z.number().int(),
    lastUsedAt: z.number().int().nullable(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'GitCredential' })
export type GitCredential = z.infer<typeof gitCredentialSchema>

/** A credential as a thread has it. */
export const threadGitCredentialSchema = gitCredentialSchema
  .pick({ id: true, address: true, username: true, access: true, repositories: true })
  .extend({
    /** The thread itself may use it. */
    isAllowed: z.boolean(),
    /** All threads of its workspace may. */
    isAllowedByWorkspace: z.boolean(),
  })
  .meta({ id: 'ThreadGitCredential' })
export type ThreadGitCredential = z.infer<typeof threadGitCredentialSchema>
export const threadGitCredentialsSchema = z.object({ credentials: z.array(threadGitCredentialSchema) })

/** Without spaces and characters that nobody sees. A user name has no colon: it ends with one when it is sent. */
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

/** One segment of a path, as Git servers name owners and repositories. */
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

/** A token belongs to the server that it was entered for, so the address stays. */
export const updateGitCredentialSchema = z.strictObject({
  username: username.optional(),
  token: token.optional(),
  access: z.enum(gitAccesses).optional(),
  repositories: repositories.optional(),
  workspaceIds: workspaceIds.optional(),
})
export type UpdateGitCredential = z.input<typeof updateGitCredentialSchema>

/** Those that the thread itself may use; what its workspace allows stays. */
export const allowGitCredentialsSchema = z.strictObject({ credentialIds: z.array(z.string().min(1).max(64)).max(200) })
