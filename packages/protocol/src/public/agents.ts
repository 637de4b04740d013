import { z } from 'zod'
import { saveEnvironmentSchema } from './environments.ts'
import { nameSchema } from './names.ts'
import { maxInstructionCharacters } from './workspaces.ts'

/** Limit of agents per user, and per workspace. */
export const maxAgentsPerHome = 200
/** Number of versions that are kept of an agent. */
export const maxAgentVersions = 100
/** Limit of skills, and of connections, that an agent can name. */
const maxNamed = 200

const idSchema = z.string().min(1).max(64)
const descriptionSchema = z.string().trim().max(300)

/** What an agent is instructed to do and can use. It only ever narrows what the thread would have anyway. */
const setupFields = {
  /** Added to the instructions of the workspace. */
  instructions: z.string().max(maxInstructionCharacters),
  /** Null: the workspace’s, or else the installation’s default. */
  modelId: idSchema.nullable(),
  /** By id; null: all that a thread in its scope has. */
  skillIds: z.array(idSchema).max(maxNamed).nullable(),
  connectionIds: z.array(idSchema).max(maxNamed).nullable(),
}

/** What an agent was at one time. It never changes. */
export const agentVersionSchema = z
  .object({
    version: z.number().int(),
    createdAt: z.number().int(),
    ...setupFields,
    /** The environment that its threads start with a copy of; null: an empty sandbox. */
    environment: z
      .object({
        id: z.string(),
        createdAt: z.number().int(),
        diskBytes: z.number().int(),
        /** Size of the running programs and memory it includes; null: none. */
        memoryBytes: z.number().int().nullable(),
        services: z.array(z.string()),
        variableCount: z.number().int(),
      })
      .nullable(),
  })
  .meta({ id: 'AgentVersion' })
export type AgentVersion = z.infer<typeof agentVersionSchema>

/** A configured assistant from which threads are started. */
export const agentSchema = z
  .object({
    id: z.string(),
    /** Its threads are in this workspace; null: in none. */
    workspaceId: z.string().nullable(),
    name: z.string(),
    description: z.string(),
    /** The version that threads start from unless they name another one. */
    current: agentVersionSchema,
    /** The file that it was imported from, and the person who accepted it after a review. Null: made here. */
    imported: z.object({ sha256: z.string(), acceptedAt: z.number().int(), acceptedBy: z.string() }).nullable(),
    createdAt: z.number().int(),
    updatedAt: z.number().int(),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof agentSchema>

/** `GET /agents`: the user’s own and those of the user’s workspaces, ordered by name. */
export const agentsSchema = z.object({ agents: z.array(agentSchema) }).meta({ id: 'Agents' })
export type Agents = z.infer<typeof agentsSchema>

/** `GET /agents/{id}`: with all versions, newest first. */
export const agentDetailsSchema = agentSchema
  .extend({ versions: z.array(agentVersionSchema) })
  .meta({ id: 'AgentDetails' })
export type AgentDetails = z.infer<typeof agentDetailsSchema>

export const createAgentSchema = z.strictObject({
  name: nameSchema,
  description: descriptionSchema.optional(),
  workspaceId: idSchema.nullable().optional(),
  instructions: setupFields.instructions.optional(),
  modelId: setupFields.modelId.optional(),
  skillIds: setupFields.skillIds.optional(),
  connectionIds: setupFields.connectionIds.optional(),
  /** An environment captured from a thread. */
  environment: saveEnvironmentSchema.nullable().optional(),
})
export type CreateAgent = z.infer<typeof createAgentSchema>

/**
 * `PATCH /agents/{id}`: name and description change in place; anything else creates a new version, which becomes
 * current.
 */
export const updateAgentSchema = createAgentSchema.omit({ workspaceId: true }).partial()
export type UpdateAgent = z.infer<typeof updateAgentSchema>

/** `PUT /agents/{id}/current`: threads start from this version from now on. */
export const setAgentVersionSchema = z.strictObject({ version: z.number().int().min(1).max(1_000_000) })
export type SetAgentVersion = z.infer<typeof setAgentVersionSchema>

/**
 * `GET /threads/{id}/agent-offer`: packages that this thread is the third one to install; empty: nothing to offer. It
 * is offered once for each package, until a person saves the agent or declines (`DELETE`).
 */
export const agentOfferSchema = z.object({ packages: z.array(z.string()) }).meta({ id: 'AgentOffer' })
export type AgentOffer = z.infer<typeof agentOfferSchema>

/** `POST /agents/{id}/threads`: a new thread, from the current version or another one. */
export const startAgentSchema = z.strictObject({
  version: z.number().int().min(1).max(1_000_000).optional(),
  /** Without it, the thread gets one as any other. */
  title: z.string().trim().min(1).max(200).optional(),
})
export type StartAgent = z.infer<typeof startAgentSchema>
