import type { TestApplication, TestPerson } from './application.test-utils.ts'
import { addPasskey, newTestPasskey } from './people/passkeys/test-passkey.test-utils.ts'
import { smallAgentFile } from './workflows/agents/small-agent-file.test-utils.ts'

/** The id of one object of each kind, by the name of its parameter. */
export type Ids = Record<string, string>

/** Creates one object for every kind of id, owned by one user, in a workspace of theirs if one is named. */
export async function makeIds(
  server: TestApplication,
  { person, within }: { person: TestPerson; within?: string },
): Promise<Ids> {
  const place: Record<string, string> = within === undefined ? {} : { workspaceId: within }
  const json = async <Answer>(method: string, path: string, body?: unknown) =>
    (await (await server.call(method, `/api/v1${path}`, { person, body })).json()) as Answer
  const { id: threadId } = await json<{ id: string }>('POST', '/threads', place)
  const { entryId, turnId } = await json<{ entryId: string; turnId: string }>('POST', `/threads/${threadId}/messages`, {
    text: '/run true',
    key: 'key-of-the-test',
  })
  await server.areas.turns.turns.settled(threadId)
  const upload = await server.call('PUT', `/api/v1/threads/${threadId}/uploads?name=a.txt`, {
    body: new Blob(['a']).stream(),
    person,
  })
  const { entries } = await json<{ entries: { id: string; kind: string }[] }>('GET', `/threads/${threadId}/entries`)
  const keys = await json<{ id: string }>('POST', '/api-keys', { name: 'for ids' })
  const sessions = await json<{ sessions: { id: string }[] }>('GET', '/auth/sessions')
  const workspaceId = within ?? (await json<{ id: string }>('POST', '/workspaces', { name: 'Workspace' })).id
  const skill = await server.call('POST', `/api/v1/skills?${new URLSearchParams(place)}`, {
    person,
    body: '---\nname: skill\ndescription: Does something.\n---\n',
    headers: { 'content-type': 'text/markdown' },
  })
  const { id: connectionId } = await json<{ id: string }>('POST', '/connections', {
    name: 'Server',
    url: 'http://127.0.0.1:9/mcp',
    auth: { kind: 'none' },
    ...place,
  })
  const { id: credentialId } = await json<{ id: string }>('POST', '/git-credentials', {
    address: 'github.com',
    username: 'somebody',
    token: 'token-of-the-test',
    access: 'read',
  })
  const { id: secretId } = await json<{ id: string }>('POST', '/secrets', {
    name: 'SERVICE_TOKEN',
    value: 'value-of-the-test',
    hosts: ['api.example.org'],
    ...(within === undefined ? {} : { owner: 'workspace', workspaceId: within }),
  })
  const { id: agentId } = await json<{ id: string }>('POST', '/agents', { name: 'Agent', ...place })
  const run = await json<{ id: string }>('POST', `/agents/${agentId}/runs`, { input: '/run true' })
  const schedule = await json<{ id: string }>('POST', `/agents/${agentId}/schedules`, {
    name: 'Schedule',
    cron: '0 0 1 1 *',
    timeZone: 'UTC',
    input: 'Text',
  })
  const webhook = await json<{ id: string }>('POST', `/agents/${agentId}/webhooks`, { name: 'Hook', input: 'Text' })
  const draft = await server.call('POST', '/api/v1/agents/import', {
    body: new Blob([smallAgentFile('Draft')]).stream(),
    person,
  })
  const invite = await json<{ id?: string }>('POST', '/invites', {})
  const preset = await json<{ id?: string }>('POST', '/quota-presets', {
    name: `Preset of ${threadId}`,
    limits: { concurrentRuns: 1, awakeSandboxes: null, modelMicroUsdPerMonth: null },
  })
  const provider = await json<{ id?: string }>('POST', '/sign-in-providers', {
    name: 'Provider',
    issuer: `https://127.0.0.1:9/${threadId}`,
    clientId: 'client',
  })
  const sandbox = await server.areas.sandboxes.rows.find(threadId)
  return {
    threadId,
    providerId: provider.id ?? 'none',
    workspaceId,
    agentId,
    draftId: ((await draft.json()) as { id: string }).id,
    runId: run.id,
    scheduleId: schedule.id,
    webhookId: webhook.id,
    skillId: ((await skill.json()) as { id: string }).id,
    connectionId,
    credentialId,
    secretId,
    entryId,
    turnId,
    callId: entries.find((entry) => entry.kind === 'tool-call')?.id ?? 'no call',
    attachmentId: ((await upload.json()) as { id: string }).id,
    apiKeyId: keys.id,
    sessionId: sessions.sessions[0]?.id ?? 'no session',
    modelId: 'no-model',
    inviteId: invite.id ?? 'no-invite',
    presetId: preset.id ?? 'no-preset',
    passkeyId: (await addPasskey(server, { person, key: newTestPasskey() })).id,
    // Only those who manage the installation have something to do with it under this name.
    sandboxId: (invite.id === undefined ? undefined : sandbox?.id) ?? 'no-sandbox',
  }
}
