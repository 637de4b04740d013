import { z } from 'zod'
import { agentSchema } from './agents.ts'

/** How files end in which agents leave an installation. */
export const agentFileEnding = 'threadbox-agent'

/** `POST /agents/import`: the agent, and what of the file there is not here. */
export const importedAgentSchema = z
  .object({
    agent: agentSchema,
    /**
     * `model`: there is none of this name, so the default one is used. `connection`: there is none to this address yet.
     * `skill`: another one has its name, and the agent does not use that.
     */
    needs: z.array(
      z.object({ kind: z.enum(['model', 'connection', 'skill']), name: z.string(), url: z.string().nullable() }),
    ),
  })
  .meta({ id: 'ImportedAgent' })
export type ImportedAgent = z.infer<typeof importedAgentSchema>
