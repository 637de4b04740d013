import { z } from 'zod'
import { lifecyclePolicySchema, limitsChangeSchema, policyChangeSchema } from './lifecycle.ts'
import { nameSchema } from './names.ts'
import { publicSandboxStateSchema, sandboxLimitsSchema } from './sandbox.ts'
import { workspaceActionSchema, workspaceRoleSchema } from './workspace-roles.ts'

/** Longest instructions of a workspace, in UTF-16 code units. Every request to the model includes them. */
export const maxInstructionCharacters = 20_000

/** Groups threads, and has values for those threads that have none of their own. Each thread keeps its own sandbox. */
export const workspaceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Given to the agent of every thread in it. */
    instructions: z.string(),
    /** Null: the installation's default. */
    modelId: z.string().nullable(),
    /** Only the workspace’s own values. */
    policy: lifecyclePolicySchema.partial(),
    limits: sandboxLimitsSchema.partial(),
    /** Whether this user collapsed it in the sidebar. */
    isCollapsed: z.boolean(),
    /** Threads that this user can see. */
    threadCount: z.number().int(),
    /** This user’s role, and what it allows. */
    role: workspaceRoleSchema,
    allowed: z.array(workspaceActionSchema),
    memberCount: z.number().int(),
    createdAt: z.number().int(),
    archivedAt: z.number().int().nullable(),
    /** Set while it can still be restored. */
    deletedAt: z.number().int().nullable(),
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof workspaceSchema>

/** `GET /workspaces`: in the user’s order, and what they inherit. */
export const workspacesSchema = z
  .object({
    workspaces: z.array(workspaceSchema),
    installation: z.object({ policy: lifecyclePolicySchema, limits: sandboxLimitsSchema }),
  })
  .meta({ id: 'Workspaces' })
export type Workspaces = z.infer<typeof workspacesSchema>

export const createWorkspaceSchema = z.strictObject({ name: nameSchema })
export type CreateWorkspace = z.input<typeof createWorkspaceSchema>

/**
 * `PATCH /workspaces/{id}`: only what is given changes; `null` in policy and limits restores the installation’s value.
 */
export const updateWorkspaceSchema = z.strictObject({
  name: nameSchema.optional(),
  instructions: z.string().max(maxInstructionCharacters).optional(),
  modelId: z.string().max(64).nullable().optional(),
  isCollapsed: z.boolean().optional(),
  isArchived: z.boolean().optional(),
  policy: policyChangeSchema.optional(),
  limits: limitsChangeSchema.optional(),
})
export type UpdateWorkspace = z.input<typeof updateWorkspaceSchema>

/** `PUT /workspaces/{id}/position`: in front of another one; `null`: at the end. */
export const placeWorkspaceSchema = z.strictObject({ before: z.string().max(64).nullable() })
export type PlaceWorkspace = z.infer<typeof placeWorkspaceSchema>

/**
 * `GET /workspaces/{id}/contents`: what deleting it removes. The totals cover everything, `threads` the latest ones.
 */
export const workspaceContentsSchema = z
  .object({
    threadCount: z.number().int(),
    sandboxCount: z.number().int(),
    serviceCount: z.number().int(),
    /** Of the sandboxes that could be measured. */
    diskBytes: z.number().int(),
    /** Sandboxes whose size the host did not report. */
    unmeasuredCount: z.number().int(),
    /** Names of the workspace’s own connections. Their tokens are deleted with them. */
    connections: z.array(z.string()),
    threads: z.array(
      z.object({
        id: z.string(),
        /** Empty if it is private and another person’s. */
        title: z.string(),
        isPrivate: z.boolean(),
        /** Null: it has not used its sandbox yet. */
        sandbox: z.object({ state: publicSandboxStateSchema, diskBytes: z.number().int().nullable() }).nullable(),
        services: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'WorkspaceContents' })
export type WorkspaceContents = z.infer<typeof workspaceContentsSchema>
