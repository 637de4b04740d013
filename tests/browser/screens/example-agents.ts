import {
  type Agent,
  type AgentDetails,
  type AgentVersion,
  agentDetailsSchema,
  agentSchema,
  type Environment,
  environmentSchema,
} from '@threadbox/protocol/public'
import { now } from './example-data.ts'

const day = 24 * 60 * 60_000
const MiB = 1024 ** 2

function versionIn(values: Partial<AgentVersion>): AgentVersion {
  const computer = { id: 'j0', createdAt: now - day, diskBytes: 412 * MiB, services: ['dashboard'], variableCount: 4 }
  return {
    version: 1,
    createdAt: now - 9 * day,
    instructions: '',
    modelId: null,
    skillIds: null,
    connectionIds: null,
    environment: { ...computer, memoryBytes: 148 * MiB },
    ...values,
  }
}

const versions = [
  versionIn({ version: 2, createdAt: now - day, instructions: 'Answer with a table and one chart.' }),
  versionIn({ instructions: 'Answer with a table.' }),
]

function agentIn(values: Pick<Agent, 'id' | 'name' | 'description'> & Partial<Agent>): Agent {
  const current = versionIn({})
  return agentSchema.parse({ workspaceId: null, current, createdAt: now - 9 * day, updatedAt: now - day, ...values })
}

const analyst = agentIn({
  id: 'g1',
  name: 'Data analyst',
  description: 'pandas, duckdb. Answers with tables and charts',
  current: versions[0] as AgentVersion,
})

export const agents: Agent[] = [
  analyst,
  agentIn({
    id: 'g2',
    name: 'Paper reader',
    description: 'PDF tools and OCR, two languages',
    current: versionIn({ environment: null, createdAt: now - 40 * day }),
  }),
]
export const agentDetails: AgentDetails = agentDetailsSchema.parse({ ...analyst, versions })

export const environment: Environment = environmentSchema.parse({
  id: 'j1',
  threadId: 't',
  createdAt: now,
  expiresAt: now + 60 * 60_000,
  diskBytes: 524 * MiB,
  captured: {
    home: { files: 214, bytes: 96 * MiB },
    packages: { files: 3120, bytes: 412 * MiB },
    system: { files: 12, bytes: 2 * MiB },
    variables: { names: ['trips', 'hourly', 'model', 'forecast'], bytes: 14 * MiB },
    services: [{ name: 'dashboard', command: 'streamlit run app.py', port: 8501 }],
  },
  notCaptured: {
    removed: [
      { path: '/home/user/.ssh', kind: 'credentials' },
      { path: '/home/user/.bash_history', kind: 'history' },
    ],
    redacted: [{ path: '/home/user/.npmrc', rule: 'npmrc-token', count: 1 }],
    variables: [{ name: 'conn', reason: 'a database handle' }],
    memoryProblem: '',
  },
  findings: [{ path: '/home/user/bike-share/.env', rule: 'aws-access-key', count: 1 }],
  furtherFindings: 0,
  memory: null,
})
