import {
  type Connection,
  type ConnectionPreset,
  connectionPresetSchema,
  connectionSchema,
  type Entry,
  entrySchema,
  type ToolCallEntry,
} from '@threadbox/protocol/public'
import { now } from './example-data.ts'

const minute = 60_000
const tool = (name: string, more: object = {}) => ({
  ...{ name, agentName: `github__${name}`, title: null, description: '', approval: 'ask', isChanged: false },
  ...{ claims: { isReadOnly: null, isDestructive: null }, input: null, problem: null, ...more },
})
const atAddress = { kind: 'http', program: null, phase: null }

export const connections: Connection[] = [
  {
    ...atAddress,
    ...{ id: 'q1', workspaceId: null, name: 'GitHub', slug: 'github', url: 'https://api.githubcopilot.com/mcp/' },
    ...{ preset: 'github', auth: { kind: 'bearer', header: null }, isEnabled: true, status: 'ready', failure: null },
    ...{ server: { name: 'github-mcp-server', version: '1.4.0' }, checkedAt: now - 3 * minute, furtherTools: 0 },
    createdAt: now - 60 * minute,
    tools: [
      tool('search_issues', {
        ...{ approval: 'allow', claims: { isReadOnly: true, isDestructive: false } },
        description: 'Searches issues and pull requests of repositories.',
      }),
      tool('create_issue', {
        description: 'Opens a new issue in a repository.',
        input: { type: 'object', properties: { repo: { type: 'string' }, title: { type: 'string' } } },
      }),
      tool('add_comment', { isChanged: true, description: 'Writes a comment.' }),
      tool('delete_file', { approval: 'off', claims: { isReadOnly: false, isDestructive: true } }),
    ],
  },
  {
    ...atAddress,
    ...{ id: 'q2', workspaceId: null, name: 'Warehouse', slug: 'warehouse', url: 'https://tools.example.com/mcp' },
    ...{ preset: null, auth: { kind: 'header', header: 'X-Api-Key' }, isEnabled: true, status: 'failed', server: null },
    failure: {
      code: 'connection.unreachable',
      message: 'The server of the connection could not be reached: nothing listens there.',
      remedy: 'Check the address and that the server runs, then test the connection.',
      details: { problem: 'nothing listens there.' },
    },
    ...{ checkedAt: now - minute, furtherTools: 0, tools: [], createdAt: now - 40 * minute },
  },
  {
    ...atAddress,
    ...{ id: 'q3', workspaceId: null, name: 'Notion', slug: 'notion', url: 'https://mcp.notion.com/mcp', server: null },
    ...{ preset: 'notion', auth: { kind: 'oauth', header: null }, isEnabled: true, status: 'failed' },
    failure: {
      code: 'connection.login-needed',
      message: 'Somebody has to log in to the server of the connection.',
      remedy: 'Press Log in beside it in Settings → Connections.',
      details: {},
    },
    ...{ checkedAt: now - minute, furtherTools: 0, tools: [], createdAt: now - 20 * minute },
  },
  {
    ...{ id: 'q4', workspaceId: null, name: 'Bookkeeping', slug: 'bookkeeping', kind: 'stdio', url: '', server: null },
    program: {
      ...{ command: 'uvx', args: ['postgres-mcp', '--access-mode=restricted'] },
      environment: [{ name: 'DATABASE_URI', value: null, isSecret: true }],
    },
    ...{ preset: 'postgres', auth: { kind: 'none', header: null }, isEnabled: true, status: 'starting', failure: null },
    ...{ phase: 'program', checkedAt: null, furtherTools: 0, tools: [], createdAt: now - minute },
  },
  {
    ...{ id: 'q5', workspaceId: null, name: 'Weather', slug: 'weather', kind: 'stdio', url: '', server: null },
    program: { command: 'npx', args: ['-y', 'weather-mcp'], environment: [] },
    ...{ preset: null, auth: { kind: 'none', header: null }, isEnabled: true, status: 'failed', phase: null },
    failure: {
      code: 'connection.program-ended',
      message:
        'The program of the connection ended (exit status 1). Its last words: Error: WEATHER_API_KEY is not set.',
      remedy: 'Check its arguments and variables, then test the connection. What a call did until then is not known.',
      details: { how: 'exit status 1', lastWords: 'Error: WEATHER_API_KEY is not set.' },
    },
    ...{ checkedAt: now - minute, furtherTools: 0, tools: [], createdAt: now - minute },
  },
].map((connection) => connectionSchema.parse(connection))

const preset = (id: string, name: string, needs: ConnectionPreset['needs']) =>
  connectionPresetSchema.parse({ id, name, needs, url: null, tokenUrl: null, header: null, program: null })

export const presets: ConnectionPreset[] = [
  preset('github', 'GitHub', 'token'),
  preset('deepwiki', 'DeepWiki', 'nothing'),
  preset('notion', 'Notion', 'oauth'),
  preset('google-drive', 'Google Drive', 'own-server'),
  preset('postgres', 'Postgres', 'program'),
]

const call: Omit<ToolCallEntry, 'id' | 'at' | 'status'> = {
  ...{ kind: 'tool-call', turnId: 'v', stepId: 'p9', tool: 'connection', startedAt: null, endedAt: null, error: null },
  ...{ output: { tail: '', tailOffset: 0, sizeBytes: 0 }, result: null, input: {} },
}

/** A turn that called one tool of a connection and waits for the person before it calls another. */
export const approvalEntries: Entry[] = [
  {
    ...{ kind: 'user-message', id: 'v1', turnId: 'v', at: now - 2 * minute, status: 'delivered', attachments: [] },
    text: 'Is the crash of the nightly import known? If not, open an issue.',
  },
  {
    ...{
      ...call,
      id: 'v2',
      at: now - minute,
      status: 'succeeded',
      startedAt: now - minute,
      endedAt: now - minute + 800,
    },
    ...{ input: { query: 'nightly import crash' } },
    connection: { id: 'q1', name: 'GitHub', tool: 'search_issues', title: null, description: '' },
    result: { kind: 'connection', text: 'No issues found.', sizeBytes: 16, url: null, images: [], notes: [] },
  },
  {
    ...{ ...call, id: 'v3', at: now - minute, status: 'awaiting-approval' },
    input: { repo: 'acme/imports', title: 'The nightly import crashes on empty files' },
    connection: {
      ...{ id: 'q1', name: 'GitHub', tool: 'create_issue', title: null },
      description: 'Opens a new issue in a repository.',
    },
  },
].map((entry) => entrySchema.parse(entry))

/** The turn that they are of. */
export const approvalTurn = {
  ...{
    id: 'v',
    mode: 'agent',
    status: 'running',
    modelId: 'm1',
    modelName: 'Claude Sonnet',
    usage: null,
    failure: null,
  },
  ...{ startedAt: now - 2 * minute, endedAt: null, stillRunning: [] },
}
