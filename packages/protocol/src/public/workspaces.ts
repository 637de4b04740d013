import { z } from 'zod'
import { lifecyclePolicySchema, limitsChangeSchema, policyChangeSchema } from './lifecycle.ts'
import { publicSandboxStateSchema, sandboxLimitsSchema } from './sandbox.ts'

/** Longest instructions of a workspace, in UTF-16 code units. They go along with every request to the model. */
export const maxInstructionCharacters = 20_000

/** A name is one line of text. Two workspaces of a person never differ only in case. */
const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters')

/** Groups threads, and has values for those of them that have none of their own. Each thread keeps its own sandbox. */
export const workspaceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Told to the agent of every thread in it. */
    instructions: z.string(),
    /** Null: the installation's default. */
    modelId: z.string().nullable(),
    /** Only what this workspace has a value of its own for. */
    policy: lifecyclePolicySchema.partial(),
    limits: sandboxLimitsSchema.partial(),
    /** How this person left it in the sidebar. */
    isCollapsed: z.boolean(),
    threadCount: z.number().int(),
    createdAt: z.number().int(),
    archivedAt: z.number().int().nullable(),
    /** Set while it can still be brought back. */
    deletedAt: z.number().int().nullable(),
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof workspaceSchema>

/** `GET /workspaces`: in the person's order, and what they inherit. */
export const workspacesSchema = z
  .object({
    workspaces: z.array(workspaceSchema),
    installation: z.object({ policy: lifecyclePolicySchema, limits: sandboxLimitsSchema }),
  })
  .meta({ id: 'Workspaces' })
export type Workspaces = z.infer<typeof workspacesSchema>

export const createWorkspaceSchema = z.strictObject({ name: nameSchema })
export type CreateWorkspace = z.input<typeof createWorkspaceSchema>

/** `PATCH /workspaces/{id}`: only what is given changes; `null` in policy and limits takes the installation's again. */
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

/** `GET /workspaces/{id}/contents`: what a delete removes. The totals are of everything, `threads` the latest ones. */
export const workspaceContentsSchema = z
  .object({
    threadCount: z.number().int(),
    sandboxCount: z.number().int(),
    serviceCount: z.number().int(),
    /** Of the sandboxes that could be measured. */
    diskBytes: z.number().int(),
    /** Sandboxes whose size the machine did not tell. */
    unmeasuredCount: z.number().int(),
    /** Names of connections that are the workspace's own. Their tokens go with them. */
    connections: z.array(z.string()),
    threads: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        /** Null: it has not used its computer yet. */
        sandbox: z.object({ state: publicSandboxStateSchema, diskBytes: z.number().int().nullable() }).nullable(),
        services: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'WorkspaceContents' })
export type WorkspaceContents = z.infer<typeof workspaceContentsSchema>
