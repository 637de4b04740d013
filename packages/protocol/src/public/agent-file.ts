import { z } from 'zod'
import { agentSchema } from './agents.ts'

/** File name extension of exported agents. */
export const agentFileEnding = 'threadbox-agent'

/** `POST /agents/import`: the agent, and what the file refers to that does not exist here. */
export const importedAgentSchema = z
  .object({
    agent: agentSchema,
    /**
     * `model`: none has this name, so the default one is used. `connection`: none has this address yet. `skill`:
     * another one has its name, and the agent does not use that.
     */
    needs: z.array(
      z.object({ kind: z.enum(['model', 'connection', 'skill']), name: z.string(), url: z.string().nullable() }),
    ),
  })
  .meta({ id: 'ImportedAgent' })
export type ImportedAgent = z.infer<typeof importedAgentSchema>
