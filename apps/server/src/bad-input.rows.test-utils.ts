import { keyScopes } from '@threadbox/domain'
/**
 * One row per route of the API: a valid request, and the code for each of its ids when that is unknown. A route without
 * a row fails the test, so that every new route decides this.
 */
export type BadInputRow = {
  /** Values of the path; `own` ids exist and belong to the caller. */
  params?: Record<string, 'own' | { value: string }>
  /** For each id of the path: the code when it is unknown, and when it is another user's. */
  unknown?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  /** The body is bytes, not JSON. */
  isRaw?: true
  isPublic?: true
  /** The code for a user who isn't the owner. */
  ownerOnly?: string
  /** Its request ends the session that sends it. */
  endsLogin?: true
}

const inThread = { params: { threadId: 'own' }, unknown: { threadId: 'thread.not-found' } } as const
const message = {
  params: { threadId: 'own', entryId: 'own' },
  unknown: { threadId: 'thread.not-found', entryId: 'message.not-found' },
} as const
const service = {
  params: { threadId: 'own', name: { value: 'web' } },
  unknown: { threadId: 'thread.not-found', name: 'service.not-found' },
} as const
const terminal = {
  params: { threadId: 'own', terminalId: { value: 'y1' } },
  unknown: { threadId: 'thread.not-found', terminalId: 'terminal.not-found' },
} as const
const workspace = { params: { workspaceId: 'own' }, unknown: { workspaceId: 'workspace.not-found' } } as const
const agent = { params: { agentId: 'own' }, unknown: { agentId: 'agent.not-found' } } as const
const draft = { params: { draftId: 'own' }, unknown: { draftId: 'agent-draft.not-found' } } as const
const environment = { params: { environmentId: 'own' }, unknown: { environmentId: 'environment.not-found' } } as const
const run = { params: { runId: 'own' }, unknown: { runId: 'run.not-found' } } as const
const schedule = { params: { scheduleId: 'own' }, unknown: { scheduleId: 'run.trigger-not-found' } } as const
const webhook = { params: { webhookId: 'own' }, unknown: { webhookId: 'run.trigger-not-found' } } as const
const skill = { params: { skillId: 'own' }, unknown: { skillId: 'skill.not-found' } } as const
const connection = { params: { connectionId: 'own' }, unknown: { connectionId: 'connection.not-found' } } as const
const gitCredential = {
  params: { credentialId: 'own' },
  unknown: { credentialId: 'git-credential.not-found' },
} as const
const model = { params: { modelId: 'own' }, unknown: { modelId: 'model.not-found' } } as const
const modelOwner = { ownerOnly: 'model.owner-only' } as const
const settingsOwner = { ownerOnly: 'auth.owner-required' } as const
const password = 'correct horse battery'

export const badInputRows: Record<string, BadInputRow> = {
  'GET /setup': { isPublic: true },
  'POST /auth/sign-up': {
    isPublic: true,
    body: { token: 'x', name: 'Name', email: 'somebody@example.com', password },
  },
  'POST /auth/sign-in': { isPublic: true, body: { email: 'somebody@example.com', password } },
  'POST /auth/sign-out': { endsLogin: true },
  'POST /auth/cookies/clear': {},
  'POST /auth/cookies/restore': { isPublic: true, body: { token: 'unknown' } },
  'POST /auth/password': {
    body: { currentPassword: 'a wrong password', newPassword: 'another long password' },
  },
  'POST /auth/confirm': { body: { password: 'a wrong password' } },
  'GET /auth/sessions': {},
  'DELETE /auth/sessions/{sessionId}': {
    params: { sessionId: 'own' },
    unknown: { sessionId: 'session.not-found' },
  },
  'GET /me': {},
  'PATCH /me': { body: { name: 'Name' } },
  'GET /api-keys': {},
  'POST /api-keys': { body: { name: 'key', expiresInDays: 1, scopes: [...keyScopes] } },
  'DELETE /api-keys/{apiKeyId}': {
    params: { apiKeyId: 'own' },
    unknown: { apiKeyId: 'api-key.not-found' },
  },
  'GET /threads': { query: { limit: '10' } },
  'POST /threads': { body: { title: 'Title', workspaceId: null } },
  'GET /threads/{threadId}': inThread,
  'PATCH /threads/{threadId}': {
    ...inThread,
    body: { title: 'Title', isPinned: true, workspaceId: null, modelId: null, isRead: true },
  },
  'DELETE /threads/{threadId}': inThread,
  'POST /threads/{threadId}/restore': inThread,
  'GET /threads/{threadId}/entries': { ...inThread, query: { before: '10', limit: '10' } },
  'GET /threads/{threadId}/export': { ...inThread, query: { format: 'html' } },
  'GET /threads/{threadId}/events': { ...inThread, query: { after: '0' } },
  'GET /events': {},
  'GET /events/socket': {},
  'GET /search': { query: { q: 'word', limit: '10' } },
  'PUT /threads/{threadId}/uploads': { ...inThread, isRaw: true, query: { name: 'file.txt' } },
  'GET /threads/{threadId}/attachments/{attachmentId}': {
    params: { threadId: 'own', attachmentId: 'own' },
    unknown: { threadId: 'thread.not-found', attachmentId: 'attachment.not-found' },
    query: { download: 'true' },
  },
  'GET /threads/{threadId}/outputs/{callId}': {
    params: { threadId: 'own', callId: 'own' },
    unknown: { threadId: 'thread.not-found', callId: 'output.not-found' },
    query: { offset: '0', limit: '10', download: 'true' },
  },
  'GET /threads/{threadId}/results/{callId}/{name}': {
    params: { threadId: 'own', callId: 'own', name: { value: 'file' } },
    unknown: { threadId: 'thread.not-found', callId: 'result.not-found', name: 'result.not-found' },
    query: { download: 'true' },
  },
  'GET /threads/{threadId}/git': { ...inThread, query: { path: '/home/user', repository: '/home/user/a' } },
  'GET /threads/{threadId}/git/diff': {
    ...inThread,
    query: { path: '/home/user', file: 'a.txt', from: 'b.txt' },
  },
  'GET /threads/{threadId}/files': {
    ...inThread,
    query: { path: '/home/user', after: 'a.txt', limit: '10', wake: 'true' },
  },
  'GET /threads/{threadId}/files/entry': { ...inThread, query: { path: '/home/user', wake: 'true' } },
  'PUT /threads/{threadId}/files/watch': { ...inThread, body: { paths: ['/home/user'] } },
  'DELETE /threads/{threadId}/files': { ...inThread, query: { path: '/home/user/none.txt' } },
  'GET /threads/{threadId}/files/content': {
    ...inThread,
    query: { path: '/home/user/a.txt', download: 'true', wake: 'true', version: '1' },
  },
  'PUT /threads/{threadId}/files/content': { ...inThread, isRaw: true, query: { path: '/home/user/a.txt' } },
  'POST /threads/{threadId}/files/move': { ...inThread, body: { from: '/home/user/a.txt', to: '/home/user/b.txt' } },
  'POST /threads/{threadId}/files/folders': { ...inThread, body: { path: '/home/user/folder' } },
  'POST /threads/{threadId}/files/copies': {
    ...inThread,
    body: { fromThreadId: 'none', paths: ['/home/user/a.txt'], to: '/home/user' },
  },
  'GET /threads/{threadId}/files/archive': { ...inThread, query: { path: '/home/user', only: '["a.txt"]' } },
  'POST /threads/{threadId}/previews': { ...inThread, body: { port: 8000, path: '/a?b#c' } },
  'GET /previews/check': {},
  'GET /threads/{threadId}/share-links': inThread,
  'POST /threads/{threadId}/services/{name}/share-links': {
    ...service,
    body: { expiresInSeconds: 3600, mayWake: true },
  },
  'DELETE /threads/{threadId}/share-links/{linkId}': {
    params: { threadId: 'own', linkId: { value: 'x1' } },
    unknown: { threadId: 'thread.not-found', linkId: 'share-link.not-found' },
  },
  'GET /threads/{threadId}/links': inThread,
  'POST /threads/{threadId}/links': {
    ...inThread,
    body: { withFiles: true, allowsCopies: true, expiresInSeconds: 3600 },
  },
  'POST /shared-threads/look': { body: { secret: 'none' } },
  'POST /shared-threads/copy': { body: { secret: 'none' } },
  'DELETE /threads/{threadId}/links/{linkId}': {
    params: { threadId: 'own', linkId: { value: 'z1' } },
    unknown: { threadId: 'thread.not-found', linkId: 'thread-link.not-found' },
  },
  'GET /threads/{threadId}/sandbox': inThread,
  'PATCH /threads/{threadId}/sandbox': {
    ...inThread,
    body: { policy: { idlePauseMinutes: 15, retentionDays: null }, limits: { cpus: 1 } },
  },
  'POST /threads/{threadId}/sandbox/pause': inThread,
  'POST /threads/{threadId}/sandbox/wake': inThread,
  'POST /threads/{threadId}/sandbox/restart': inThread,
  'POST /threads/{threadId}/sandbox/hold': { ...inThread, body: { until: null } },
  'GET /threads/{threadId}/sandbox/reports/{reportId}': {
    params: { threadId: 'own', reportId: 'own' },
    unknown: { threadId: 'thread.not-found', reportId: 'report.not-found' },
  },
  'POST /threads/{threadId}/sandbox/rescued/{restartId}/start': {
    params: { threadId: 'own', restartId: 'own' },
    unknown: { threadId: 'thread.not-found', restartId: 'rescued.not-found' },
  },
  'POST /threads/{threadId}/fork': { ...inThread, body: { turnId: null, title: 'Copy' } },
  'GET /threads/{threadId}/rewind': { ...inThread, query: { before: 'e1' } },
  'POST /threads/{threadId}/rewind': { ...inThread, body: { entryId: 'e1' } },
  'POST /threads/{threadId}/rewind/undo': { ...inThread, body: { rewindId: 'r1' } },
  'GET /threads/{threadId}/snapshots': inThread,
  'DELETE /threads/{threadId}/snapshots/{snapshotId}': {
    params: { threadId: 'own', snapshotId: 'own' },
    unknown: { threadId: 'thread.not-found', snapshotId: 'snapshot.not-found' },
  },
  'GET /threads/{threadId}/services': inThread,
  'POST /threads/{threadId}/services': {
    ...inThread,
    body: { name: 'web', command: 'python3 -m http.server', port: 8000, readyTimeoutSeconds: 5 },
  },
  'POST /threads/{threadId}/services/{name}/stop': service,
  'POST /threads/{threadId}/services/{name}/restart': service,
  'DELETE /threads/{threadId}/services/{name}': service,
  'GET /threads/{threadId}/services/{name}/logs': { ...service, query: { before: '10' } },
  'GET /threads/{threadId}/terminals': inThread,
  'POST /threads/{threadId}/terminals': { ...inThread, body: { title: 'build', cols: 80, rows: 24, cwd: '/' } },
  'PATCH /threads/{threadId}/terminals/{terminalId}': { ...terminal, body: { title: 'build' } },
  'DELETE /threads/{threadId}/terminals/{terminalId}': terminal,
  'GET /threads/{threadId}/terminals/{terminalId}/socket': { ...terminal, query: { after: '10' } },
  'POST /threads/{threadId}/messages': {
    ...inThread,
    body: { text: '/help', attachmentIds: [], key: 'key-12345678', approvals: 'ask' },
  },
  'PATCH /threads/{threadId}/messages/{entryId}': { ...message, body: { text: 'text' } },
  'DELETE /threads/{threadId}/messages/{entryId}': message,
  'POST /threads/{threadId}/messages/{entryId}/edit': { ...message, body: { text: 'text' } },
  'PUT /threads/{threadId}/queue': { ...inThread, body: { entryIds: [] } },
  'POST /threads/{threadId}/queue/resume': inThread,
  'POST /threads/{threadId}/stop': inThread,
  'POST /threads/{threadId}/retry': { ...inThread, body: { mode: 'retry' } },
  'POST /threads/{threadId}/calls/{callId}/run-again': {
    params: { threadId: 'own', callId: 'own' },
    unknown: { threadId: 'thread.not-found', callId: 'call.not-found' },
  },
  'POST /threads/{threadId}/calls/{callId}/decision': {
    params: { threadId: 'own', callId: 'own' },
    unknown: { threadId: 'thread.not-found', callId: 'call.not-found' },
    body: { decision: 'allow' },
  },
  'GET /connections': {},
  'GET /connections/presets': {},
  'POST /connections': {
    body: {
      name: 'Another server',
      url: 'http://127.0.0.1:9/mcp',
      auth: { kind: 'none' },
      workspaceId: null,
      preset: 'github',
    },
  },
  'GET /connections/{connectionId}': connection,
  'PATCH /connections/{connectionId}': { ...connection, body: { name: 'Name', isEnabled: true } },
  'DELETE /connections/{connectionId}': connection,
  'POST /connections/{connectionId}/test': connection,
  'POST /connections/{connectionId}/login': connection,
  'POST /connections/login': { body: { state: 'con.x', code: 'c' } },
  'PATCH /connections/{connectionId}/tools': { ...connection, body: { tools: {} } },
  'GET /workspaces': {},
  'GET /git-credentials': {},
  'POST /git-credentials': {
    body: {
      address: 'github.com',
      username: 'somebody',
      token: 'token-of-the-test',
      access: 'read',
      repositories: ['owner/name'],
      workspaceIds: [],
    },
  },
  'PATCH /git-credentials/{credentialId}': { ...gitCredential, body: { username: 'somebody', access: 'push' } },
  'DELETE /git-credentials/{credentialId}': gitCredential,
  'GET /threads/{threadId}/git-credentials': inThread,
  'PUT /threads/{threadId}/git-credentials': { ...inThread, body: { credentialIds: [] } },
  'GET /network': {},
  'PUT /network': {
    ...settingsOwner,
    body: { policy: { kind: 'allowlist', names: ['example.org'], presets: ['github'] } },
  },
  'GET /workspaces/{workspaceId}/network': workspace,
  'PUT /workspaces/{workspaceId}/network': { ...workspace, body: { policy: { kind: 'none' } } },
  'GET /agents/{agentId}/network': agent,
  'PUT /agents/{agentId}/network': { ...agent, body: { policy: { kind: 'none' } } },
  'GET /threads/{threadId}/network': inThread,
  'PUT /threads/{threadId}/network': {
    ...inThread,
    body: { policy: { kind: 'allowlist', names: ['*.example.org'], presets: [] } },
  },
  'POST /threads/{threadId}/network/names': { ...inThread, body: { name: 'example.org' } },
  'POST /workspaces': { body: { name: 'Another name' } },
  'GET /workspaces/{workspaceId}': workspace,
  'PATCH /workspaces/{workspaceId}': {
    ...workspace,
    body: {
      name: 'Name',
      instructions: 'Text',
      modelId: null,
      isCollapsed: true,
      isArchived: false,
      policy: { idlePauseMinutes: 15, retentionDays: null },
      limits: { cpus: 1 },
    },
  },
  'PUT /workspaces/{workspaceId}/position': { ...workspace, body: { before: null } },
  'GET /workspaces/{workspaceId}/contents': workspace,
  'DELETE /workspaces/{workspaceId}': workspace,
  'POST /workspaces/{workspaceId}/restore': workspace,
  'GET /skills': {},
  'POST /skills': { isRaw: true },
  'GET /skills/{skillId}': skill,
  'PUT /skills/{skillId}/content': { ...skill, isRaw: true },
  'PATCH /skills/{skillId}': { ...skill, body: { workspaceId: null } },
  'DELETE /skills/{skillId}': skill,
  'GET /skills/{skillId}/archive': skill,
  'GET /threads/{threadId}/skills': inThread,
  'POST /threads/{threadId}/skills': { ...inThread, body: { path: '/home/user/skill', workspaceId: null } },
  'GET /agents': {},
  'POST /agents': {
    body: {
      name: 'Another agent',
      description: 'Text',
      workspaceId: null,
      instructions: 'Text',
      modelId: null,
      skillIds: null,
      connectionIds: null,
      environment: null,
    },
  },
  'GET /agents/{agentId}': agent,
  'PATCH /agents/{agentId}': {
    ...agent,
    body: {
      name: 'Name',
      description: 'Text',
      instructions: 'Text',
      modelId: null,
      skillIds: null,
      connectionIds: null,
      environment: null,
    },
  },
  'PUT /agents/{agentId}/current': { ...agent, body: { version: 1 } },
  'DELETE /agents/{agentId}': agent,
  'DELETE /agents/{agentId}/versions/{version}': {
    params: { agentId: 'own', version: { value: '1' } },
    unknown: { agentId: 'agent.not-found', version: 'agent.version-not-found' },
  },
  'GET /agents/{agentId}/versions/{version}/export': {
    params: { agentId: 'own', version: { value: '1' } },
    unknown: { agentId: 'agent.not-found', version: 'agent.version-not-found' },
  },
  'POST /agents/import': { isRaw: true },
  'GET /agent-drafts': {},
  'GET /agent-drafts/{draftId}': draft,
  'GET /agent-drafts/{draftId}/skills/{skill}/file': {
    params: { draftId: 'own', skill: { value: 'counting' } },
    unknown: { draftId: 'agent-draft.not-found', skill: 'agent-draft.not-found' },
    query: { file: 'SKILL.md' },
  },
  'POST /agent-drafts/{draftId}/accept': {
    ...draft,
    body: {
      sha256: 'a'.repeat(64),
      instructions: true,
      environment: false,
      variables: false,
      services: [],
      skills: ['counting'],
      connections: [],
    },
  },
  'DELETE /agent-drafts/{draftId}': draft,
  'GET /threads/{threadId}/agent-offer': inThread,
  'DELETE /threads/{threadId}/agent-offer': inThread,
  'POST /threads/{threadId}/environments': { ...inThread, body: { keepMemory: true } },
  'GET /environments/{environmentId}': environment,
  'DELETE /environments/{environmentId}': environment,
  'POST /agents/{agentId}/threads': { ...agent, body: { version: 1, title: 'Title' } },
  'GET /agents/{agentId}/runs': { ...agent, query: { limit: '10' } },
  'POST /agents/{agentId}/runs': { ...agent, body: { input: 'Text', version: 1, key: 'key-of-the-row' } },
  'GET /agents/{agentId}/kept-runs': { ...agent, query: { keep: '10' } },
  'PUT /agents/{agentId}/kept-runs': { ...agent, body: { keep: 10 } },
  'GET /runs/latest': {},
  'GET /runs/{runId}': run,
  'POST /runs/{runId}/cancel': run,
  'GET /agents/{agentId}/schedules': agent,
  'POST /agents/{agentId}/schedules': {
    ...agent,
    body: {
      name: 'Name',
      cron: '30 7 * * 1-5',
      timeZone: 'Europe/Berlin',
      input: 'Text',
      version: null,
      overlap: 'skip',
      missed: 'once',
      isEnabled: false,
    },
  },
  'GET /schedules/next': { query: { cron: '30 7 * * 1-5', timeZone: 'UTC' } },
  'PATCH /schedules/{scheduleId}': {
    ...schedule,
    body: {
      name: 'Name',
      cron: '30 7 * * 1-5',
      timeZone: 'UTC',
      input: 'Text',
      version: null,
      overlap: 'allow',
      missed: 'skip',
      isEnabled: false,
    },
  },
  'DELETE /schedules/{scheduleId}': schedule,
  'GET /agents/{agentId}/webhooks': agent,
  'POST /agents/{agentId}/webhooks': { ...agent, body: { name: 'Name', input: 'Text', version: null } },
  'PATCH /webhooks/{webhookId}': { ...webhook, body: { name: 'Name', input: 'Text', version: null, isEnabled: false } },
  'POST /webhooks/{webhookId}/secret': webhook,
  'DELETE /webhooks/{webhookId}': webhook,
  'GET /models': {},
  'POST /models': {
    ...modelOwner,
    body: { provider: 'openai-compatible', model: 'm', baseUrl: 'http://127.0.0.1:9/v1', contextTokens: 4096 },
  },
  'GET /models/discovered': modelOwner,
  'PATCH /models/{modelId}': { ...model, ...modelOwner, body: { name: 'Name', inputUsdPerMillion: 1 } },
  'DELETE /models/{modelId}': { ...model, ...modelOwner },
  'POST /models/{modelId}/test': { ...model, ...modelOwner },
  'GET /status': { query: { checks: 'false' } },
  'GET /settings': {},
  'PATCH /settings': { ...settingsOwner, body: { settings: {} } },
  'GET /audit': { ...settingsOwner, query: { limit: '10' } },
}
