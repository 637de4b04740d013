import { z } from 'zod'

/** Limit of drafts per user, and per workspace: each keeps a disk until it is accepted or declined. */
export const maxAgentDraftsPerHome = 20

/** Compared with the same item of the agent with the draft’s name; null: there is no such agent. */
const changeSchema = z.enum(['added', 'changed', 'same']).nullable()
const digestSchema = z.string().regex(/^[0-9a-f]{64}$/)

const summaryFields = {
  /** Also the ID of the agent that it becomes. */
  id: z.string(),
  workspaceId: z.string().nullable(),
  /** As in the file. Show it and all other texts as text, with control characters and direction marks as symbols. */
  name: z.string(),
  description: z.string(),
  importedAt: z.number().int(),
  file: z.object({ sha256: digestSchema, sizeBytes: z.number().int(), exportedAt: z.number().int() }),
}
/** An agent file that waits for a person. Nothing of it runs, is given to a model or is available to a thread. */
export const agentDraftSummarySchema = z.object(summaryFields).meta({ id: 'AgentDraftSummary' })
export type AgentDraftSummary = z.infer<typeof agentDraftSummarySchema>

/** `GET /agent-drafts`: the user’s own and those of workspaces in which the user manages agents, oldest first. */
export const agentDraftsSchema = z.object({ drafts: z.array(agentDraftSummarySchema) }).meta({ id: 'AgentDrafts' })
export type AgentDrafts = z.infer<typeof agentDraftsSchema>

const serviceFields = {
  command: z.string(),
  port: z.number().int(),
  /** The folder it starts in; empty: the home folder. */
  cwd: z.string(),
  environment: z.record(z.string(), z.string()),
}

export const agentDraftServiceSchema = z.object({
  name: z.string(),
  ...serviceFields,
  /** Whether it starts with every sandbox, without a person or the agent starting it. */
  startsAtOnce: z.boolean(),
  change: changeSchema,
  /** What the agent with the same name has now, if it is different. */
  before: z.object(serviceFields).nullable(),
})
export type AgentDraftService = z.infer<typeof agentDraftServiceSchema>

export const agentDraftSkillSchema = z.object({
  name: z.string(),
  description: z.string(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number().int(), isExecutable: z.boolean() })),
  /**
   * `new`: accepting adds it to the skills of the user or workspace. `same`: such a skill with this content exists and
   * is used. `different`: one with this name and other content exists, so it can’t be accepted.
   */
  here: z.enum(['new', 'same', 'different']),
  change: changeSchema,
})
export type AgentDraftSkill = z.infer<typeof agentDraftSkillSchema>

export const agentDraftConnectionSchema = z.object({
  name: z.string(),
  preset: z.string().nullable(),
  /** Without credentials and query. */
  url: z.string().nullable(),
  /** The connection with this address; null: there is none, so it can’t be accepted. */
  here: z.object({ id: z.string(), name: z.string() }).nullable(),
  change: changeSchema,
})
export type AgentDraftConnection = z.infer<typeof agentDraftConnectionSchema>

/** `GET /agent-drafts/{id}`: everything in the file that would run or be given to a model. */
export const agentDraftSchema = z
  .object({
    ...summaryFields,
    /** The agent with the same name in this scope, whose current version the items are compared with. */
    comparedWith: z.object({ agentId: z.string(), name: z.string(), version: z.number().int() }).nullable(),
    instructions: z.object({
      text: z.string(),
      change: changeSchema,
      /** What the agent with the same name has now, if it is different. */
      before: z.string().nullable(),
    }),
    /** Null: the default model. */
    model: z
      .object({
        provider: z.string(),
        name: z.string(),
        model: z.string(),
        isAvailable: z.boolean(),
        change: changeSchema,
      })
      .nullable(),
    /** Null: its threads start with a clean sandbox. */
    environment: z
      .object({
        imageId: z.string(),
        diskBytes: z.number().int(),
        /** Names of saved Python variables and functions. Restoring them runs code from the file. */
        variables: z.array(z.string()),
        /** Whether a shell’s variables and folder were saved. */
        hasShell: z.boolean(),
        /** `added`, or null: two environments are not compared. */
        change: changeSchema,
      })
      .nullable(),
    services: z.array(agentDraftServiceSchema),
    skills: z.object({
      /** The file names none: threads use all skills that they have anyway. */
      isAll: z.boolean(),
      items: z.array(agentDraftSkillSchema),
    }),
    connections: z.object({
      /** The file requests all connections: the items are those that exist here. */
      isAll: z.boolean(),
      items: z.array(agentDraftConnectionSchema),
    }),
    /** What the agent with the same name has and the file lacks. */
    missing: z.object({
      skills: z.array(z.string()),
      services: z.array(z.string()),
      connections: z.array(z.string()),
    }),
  })
  .meta({ id: 'AgentDraft' })
export type AgentDraft = z.infer<typeof agentDraftSchema>

/** `GET /agent-drafts/{id}/skills/{skill}/file?file=`: one file of a skill in the draft. */
export const agentDraftFileSchema = z
  .object({
    path: z.string(),
    sizeBytes: z.number().int(),
    isExecutable: z.boolean(),
    /** Null: it isn’t text. */
    text: z.string().nullable(),
  })
  .meta({ id: 'AgentDraftFile' })
export type AgentDraftFile = z.infer<typeof agentDraftFileSchema>

const namesSchema = z.array(z.string().min(1).max(200)).max(200).default([])

/** `POST /agent-drafts/{id}/accept`: what the agent gets. Whatever is not named is not in it. */
export const acceptAgentDraftSchema = z.strictObject({
  /** The SHA-256 of the reviewed file, in hexadecimal. */
  sha256: z.string().min(1).max(64),
  instructions: z.boolean().default(false),
  /** The files of the sandbox. */
  environment: z.boolean().default(false),
  /** Saved variables of Python and the shell; only with `environment`. */
  variables: z.boolean().default(false),
  /** By name; only with `environment`. */
  services: namesSchema,
  /** By name. */
  skills: namesSchema,
  /** By ID. */
  connections: namesSchema,
})
export type AcceptAgentDraft = z.input<typeof acceptAgentDraftSchema>
