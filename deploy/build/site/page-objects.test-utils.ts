import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { EntriesPage, SandboxDetail, ThreadSnapshots } from '@threadbox/protocol/public'
import { emptyManifest, emptyRescue } from '@threadbox/testkit/host-stand-in'
import { makeZip } from '../../../apps/server/src/turns/skills/skill-zip.test-utils.ts'
import { smallAgentFile } from '../../../apps/server/src/workflows/agents/small-agent-file.test-utils.ts'
import { askForFile, askForTool, endless, type PageServer } from './page-server.test-utils.ts'
import { peoplePreparations } from './people-objects.test-utils.ts'

/** Values of shell variables, by name. */
export type Variables = Record<string, string>
type Made = { id: string }
type Prepare = (server: PageServer, common: Variables) => Promise<Variables | undefined>

const waitMs = 20_000
let keys = 0

/** One object for every ID in the paths of the page. Requests that change or delete one get their own below. */
export async function makeCommonObjects(server: PageServer): Promise<Variables> {
  const { call, callSignedIn } = server
  // As in all other tests: a snapshot with memory waits two seconds for a quiet thread.
  await call('PATCH', '/settings', { settings: { memorySnapshotsPerThread: 0, memorySnapshotQuietSeconds: 0 } })
  const { id: modelId } = await callSignedIn<Made>('POST', '/models', {
    provider: 'openai-compatible',
    model: 'scripted',
    baseUrl: server.model.baseUrls['openai-compatible'],
    contextTokens: 100_000,
    isDefault: true,
  })
  const { threadId, entryId } = await threadWith(server, '/run uname -a')
  const upload = await call<Made>('PUT', `/threads/${threadId}/uploads?name=a.txt`, 'a')
  const { id: agentId } = await call<Made>('POST', '/agents', { name: 'Agent' })
  const run = await newRun(server, agentId)
  return {
    modelId,
    threadId,
    entryId,
    turnId: (await call<EntriesPage>('GET', `/threads/${threadId}/entries`)).turns[0]?.id ?? '',
    agentId,
    runId: run.id,
    environmentId: (await call<Made>('POST', `/threads/${threadId}/environments`, {})).id,
    draftId: (await newDraft(server, 'Common')).id,
    callId: await callIn(server, { threadId, status: 'succeeded' }),
    attachmentId: upload.id,
    workspaceId: (await call<Made>('POST', '/workspaces', { name: 'Workspace' })).id,
    scheduleId: (await newSchedule(server, agentId)).id,
    webhookId: (await newWebhook(server, agentId)).id,
    skillId: (await newSkill(server, 'common')).id,
    connectionId: (await newConnection(server, { name: 'Tools', url: server.tools.url })).id,
    credentialId: (await newCredential(server, 'example.com')).id,
    secretId: (await newSecret(server, 'COMMON_TOKEN')).id,
  }
}

/** What a request needs that others use up, change or lack. It runs directly before the request. */
export const preparations: Readonly<Record<string, Prepare>> = {
  ...peoplePreparations,
  'POST /auth/cookies/restore': async ({ callSignedIn }) =>
    await callSignedIn<{ restoreToken: string }>('POST', '/auth/cookies/clear'),
  'DELETE /threads/{threadId}': async (server) => ({ threadId: await newThread(server) }),
  'POST /threads/{threadId}/restore': async (server) => {
    const threadId = await newThread(server)
    await server.call('DELETE', `/threads/${threadId}`)
    return { threadId }
  },
  'POST /shared-threads/look': async (server, { threadId = '' }) => ({ secret: await newLinkSecret(server, threadId) }),
  'POST /shared-threads/copy': async (server, { threadId = '' }) => ({ secret: await newLinkSecret(server, threadId) }),
  'DELETE /threads/{threadId}/links/{linkId}': async ({ call }, { threadId }) => ({
    linkId: (await call<Made>('POST', `/threads/${threadId}/links`, { withFiles: false, expiresInSeconds: null })).id,
  }),

  'PATCH /threads/{threadId}/messages/{entryId}': async (server) => await queued(server),
  'DELETE /threads/{threadId}/messages/{entryId}': async (server) => await queued(server),
  'POST /threads/{threadId}/messages/{entryId}/edit': async (server) => await threadWith(server, '/run true'),
  'POST /threads/{threadId}/stop': async (server) => await queued(server),
  'POST /threads/{threadId}/queue/resume': async (server) => {
    const { threadId } = await queued(server)
    await server.call('POST', `/threads/${threadId}/stop`)
    return { threadId }
  },
  'POST /threads/{threadId}/retry': async (server) => await threadWith(server, 'Hello.'),
  'POST /threads/{threadId}/calls/{callId}/decision': async (server) => {
    const threadId = await newThread(server)
    await send(server, { threadId, text: askForTool })
    return { threadId, callId: await callIn(server, { threadId, status: 'awaiting-approval' }) }
  },
  'GET /threads/{threadId}/results/{callId}/{name}': async (server) => {
    const threadId = await newThread(server)
    await writeIn(server, { threadId, name: 'notes.txt' })
    await say(server, { threadId, text: askForFile })
    return { threadId, callId: await callIn(server, { threadId, status: 'succeeded' }) }
  },

  'GET /threads/{threadId}/sandbox/reports/{reportId}': async (server) => await withReport(server),
  'POST /threads/{threadId}/sandbox/rescued/{restartId}/start': async (server) => await withReport(server),

  'DELETE /threads/{threadId}/files': async (server, { threadId = '' }) =>
    await writeIn(server, { threadId, name: 'none.txt' }),
  'GET /threads/{threadId}/files/content': async (server, { threadId = '' }) =>
    await writeIn(server, { threadId, name: 'a.txt' }),
  'POST /threads/{threadId}/files/copies': async (server) => {
    const [threadId, otherThreadId] = [await newThread(server), await newThread(server)]
    await writeIn(server, { threadId: otherThreadId, name: 'a.txt' })
    return { threadId, otherThreadId }
  },
  'GET /threads/{threadId}/files/archive': async (server) => await asleepWith(server, 'a.txt'),

  'GET /threads/{threadId}/services/{name}/logs': async (server, { threadId = '' }) =>
    await newService(server, threadId),
  'POST /threads/{threadId}/services/{name}/share-links': async (server, { threadId = '' }) =>
    await newService(server, threadId),
  'DELETE /threads/{threadId}/share-links/{linkId}': async (server, { threadId = '' }) => {
    await newService(server, threadId)
    const body = { expiresInSeconds: 3600 }
    return { linkId: (await server.call<Made>('POST', `/threads/${threadId}/services/web/share-links`, body)).id }
  },
  'PATCH /threads/{threadId}/terminals/{terminalId}': async (server, common) => await newTerminal(server, common),
  'DELETE /threads/{threadId}/terminals/{terminalId}': async (server, common) => await newTerminal(server, common),
  'GET /threads/{threadId}/terminals/{terminalId}/socket': async (server, common) => await newTerminal(server, common),
  'GET /threads/{threadId}/git': async (server) => await withRepositories(server),
  'GET /threads/{threadId}/git/diff': async (server) => await withRepositories(server),
  'DELETE /git-credentials/{credentialId}': async (server) => ({
    credentialId: (await newCredential(server, 'other.example.com')).id,
  }),
  'DELETE /threads/{threadId}/secrets/{secretId}': async (server, { threadId = '', secretId = '' }) => {
    await server.callSignedIn('PUT', `/threads/${threadId}/secrets/${secretId}`, {})
    return {}
  },
  'DELETE /secrets/{secretId}': async (server) => ({ secretId: (await newSecret(server, 'OTHER_TOKEN')).id }),

  'DELETE /threads/{threadId}/snapshots/{snapshotId}': async (server) => {
    const { threadId } = await threadWith(server, '/run true')
    return { threadId, snapshotId: await snapshotIn(server, threadId) }
  },
  'POST /threads/{threadId}/fork': async (server) => await threadWith(server, '/run true'),
  'GET /threads/{threadId}/rewind': async (server) => await rewindable(server),
  'POST /threads/{threadId}/rewind': async (server) => await rewindable(server),
  'POST /threads/{threadId}/rewind/undo': async (server) => {
    const { threadId, entryId } = await rewindable(server)
    return {
      threadId,
      ...(await server.call<{ rewindId: string }>('POST', `/threads/${threadId}/rewind`, { entryId })),
    }
  },

  'POST /workspaces/{workspaceId}/restore': async ({ call, callSignedIn }) => {
    const { id: workspaceId } = await call<Made>('POST', '/workspaces', { name: 'Restored' })
    await callSignedIn('DELETE', `/workspaces/${workspaceId}`)
    return { workspaceId }
  },
  'DELETE /agents/{agentId}': async ({ call }) => ({
    agentId: (await call<Made>('POST', '/agents', { name: 'Deleted' })).id,
  }),
  'DELETE /agents/{agentId}/versions/{version}': async ({ call }) => {
    const { id: agentId } = await call<Made>('POST', '/agents', { name: 'With two versions' })
    await call('PATCH', `/agents/${agentId}`, { instructions: 'Other instructions' })
    return { agentId }
  },
  'POST /threads/{threadId}/environments': async (server) => await threadWith(server, '/run true'),
  'DELETE /environments/{environmentId}': async ({ call }, { threadId }) => ({
    environmentId: (await call<Made>('POST', `/threads/${threadId}/environments`, {})).id,
  }),
  'GET /agents/{agentId}/versions/{version}/export': async ({ call }, { environmentId: id }) => ({
    agentId: (await call<Made>('POST', '/agents', { name: 'Weather', environment: { id } })).id,
  }),
  'POST /agent-drafts/{draftId}/accept': async (server) => {
    const { id: draftId, file } = await newDraft(server, 'Accepted')
    return { draftId, sha256: file.sha256 }
  },
  'DELETE /agent-drafts/{draftId}': async (server) => ({ draftId: (await newDraft(server, 'Declined')).id }),
  'POST /runs/{runId}/cancel': async (server, { agentId = '' }) => ({ runId: (await newRun(server, agentId)).id }),
  'DELETE /schedules/{scheduleId}': async (server, { agentId = '' }) => ({
    scheduleId: (await newSchedule(server, agentId)).id,
  }),
  'DELETE /webhooks/{webhookId}': async (server, { agentId = '' }) => ({
    webhookId: (await newWebhook(server, agentId)).id,
  }),

  'DELETE /skills/{skillId}': async (server) => ({ skillId: (await newSkill(server, 'deleted')).id }),
  'PUT /skills/{skillId}/content': async ({ call }) => {
    const { skills } = await call<{ skills: { id: string; name: string }[] }>('GET', '/skills')
    return { skillId: skills.find(({ name }) => name === 'weather')?.id ?? '' }
  },
  'POST /threads/{threadId}/skills': async (server) => {
    const { threadId } = await asleepWith(server, 'skill/SKILL.md')
    const zip = new Uint8Array(makeZip([{ name: 'SKILL.md', content: skillText('skill') }]))
    server.host.archive = () => zip
    return { threadId }
  },
  'DELETE /connections/{connectionId}': async (server) => ({
    connectionId: (await newConnection(server, { name: 'Deleted', url: server.tools.url })).id,
  }),
  'POST /connections/{connectionId}/login': async (server) => await lockedConnection(server),
  'POST /connections/login': async (server) => {
    const { connectionId } = await lockedConnection(server)
    const started = await server.callSignedIn<{ authorizationUrl: string }>(
      'POST',
      `/connections/${connectionId}/login`,
    )
    const response = await fetch(started.authorizationUrl, { redirect: 'manual' })
    const sent = new URL(response.headers.get('location') ?? '').searchParams
    return { state: sent.get('state') ?? '', code: sent.get('code') ?? '' }
  },
  'DELETE /models/{modelId}': async ({ callSignedIn, model }) => ({
    modelId: (
      await callSignedIn<Made>('POST', '/models', {
        provider: 'openai-compatible',
        model: 'removed',
        baseUrl: model.baseUrls['openai-compatible'],
      })
    ).id,
  }),

  'DELETE /auth/sessions/{sessionId}': async ({ callSignedIn }) => {
    const { sessions } = await callSignedIn<{ sessions: { id: string; isCurrent: boolean }[] }>('GET', '/auth/sessions')
    return { sessionId: sessions.find(({ isCurrent }) => isCurrent)?.id ?? '' }
  },
  'DELETE /api-keys/{apiKeyId}': async ({ callSignedIn }) => ({
    apiKeyId: (await callSignedIn<Made>('POST', '/api-keys', { name: 'deleted' })).id,
  }),
}

export function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: Does something.\n---\nDo it.\n`
}

const newThread = async ({ call }: PageServer) => (await call<Made>('POST', '/threads', {})).id
const newSkill = ({ call }: PageServer, name: string) => call<Made>('POST', '/skills', skillText(name))
const newConnection = ({ callSignedIn }: PageServer, at: { name: string; url: string }) =>
  callSignedIn<Made>('POST', '/connections', { ...at, auth: { kind: 'none' } })
const newCredential = ({ callSignedIn }: PageServer, address: string) =>
  callSignedIn<Made>('POST', '/git-credentials', {
    address,
    username: 'you',
    token: 'token-of-the-test',
    access: 'read',
  })
const newSecret = ({ callSignedIn }: PageServer, name: string) =>
  callSignedIn<Made>('POST', '/secrets', { name, value: 'value-of-the-test', hosts: ['api.example.org'] })
const newDraft = ({ callSignedIn }: PageServer, name: string) =>
  callSignedIn<Made & { file: { sha256: string } }>('POST', '/agents/import', smallAgentFile(name))
const newRun = ({ call }: PageServer, agentId: string) =>
  call<Made>('POST', `/agents/${agentId}/runs`, { input: 'Hello.' })
const newSchedule = ({ call }: PageServer, agentId: string) =>
  call<Made>('POST', `/agents/${agentId}/schedules`, { name: 'Yearly', cron: '0 0 1 1 *', timeZone: 'UTC', input: 'x' })
const newWebhook = ({ call }: PageServer, agentId: string) =>
  call<Made>('POST', `/agents/${agentId}/webhooks`, { name: 'Hook', input: 'Text' })
const newTerminal = async ({ call }: PageServer, { threadId }: Variables) => ({
  terminalId: (await call<Made>('POST', `/threads/${threadId}/terminals`, {})).id,
})

async function newService({ call, services }: PageServer, threadId: string): Promise<Variables> {
  services.logs.set('web', 'Serving HTTP on port 8000\n')
  await call('POST', `/threads/${threadId}/services`, { name: 'web', command: 'serve', port: 8000 })
  return {}
}

async function newLinkSecret({ call }: PageServer, threadId: string): Promise<string> {
  const body = { withFiles: false, allowsCopies: true, expiresInSeconds: null }
  const { url } = await call<{ url: string }>('POST', `/threads/${threadId}/links`, body)
  return url.split('/').at(-1) ?? ''
}

async function lockedConnection({ call, callSignedIn, lockedTools }: PageServer): Promise<{ connectionId: string }> {
  const body = { name: 'Locked', url: lockedTools.url, auth: { kind: 'oauth' } }
  const { connections } = await call<{ connections: { id: string; name: string }[] }>('GET', '/connections')
  const known = connections.find(({ name }) => name === body.name)
  return { connectionId: (known ?? (await callSignedIn<Made>('POST', '/connections', body))).id }
}

type Message = { threadId: string; text: string }

async function send({ call }: PageServer, { threadId, text }: Message): Promise<string> {
  keys += 1
  const body = { text, key: `key-of-the-page-${keys}` }
  return (await call<{ entryId: string }>('POST', `/threads/${threadId}/messages`, body)).entryId
}

/** Sends a message and waits until its turn has ended. */
async function say(server: PageServer, { threadId, text }: Message): Promise<string> {
  const entryId = await send(server, { threadId, text })
  await until(`the turn of “${text}”`, async () => {
    const { turns } = await server.call<EntriesPage>('GET', `/threads/${threadId}/entries`)
    return turns.every(({ status }) => status !== 'running') || undefined
  })
  return entryId
}

async function threadWith(server: PageServer, text: string): Promise<{ threadId: string; entryId: string }> {
  const threadId = await newThread(server)
  return { threadId, entryId: await say(server, { threadId, text }) }
}

/** A thread with a queued message behind a command that doesn’t end. */
async function queued(server: PageServer): Promise<{ threadId: string; entryId: string }> {
  const threadId = await newThread(server)
  await send(server, { threadId, text: endless })
  await callIn(server, { threadId, status: 'running' })
  return { threadId, entryId: await send(server, { threadId, text: '/run true' }) }
}

async function rewindable(server: PageServer): Promise<{ threadId: string; entryId: string }> {
  const { threadId } = await threadWith(server, '/run true')
  await snapshotIn(server, threadId)
  return { threadId, entryId: await say(server, { threadId, text: '/run true' }) }
}

/** A thread whose sandbox lost a process with its memory, in a report that offers to restart it. */
async function withReport({ call, host }: PageServer): Promise<Variables> {
  const { id: threadId } = await call<Made>('POST', '/threads', {})
  await call('POST', `/threads/${threadId}/sandbox/wake`)
  const process = { pid: 9, startTicks: '1', startedAt: 1, parentPid: 1, name: 'train', executable: 'train' }
  const shown = { commandLine: ['train'], cwd: '/', user: 'user', memoryBytes: 1, role: 'user' as const, service: '' }
  host.manifest = { ...emptyManifest(), processes: [{ ...process, ...shown }] }
  await call('POST', `/threads/${threadId}/sandbox/pause`)
  host.manifest = emptyManifest()
  const ended = { id: 'p1', pid: 9, commandLine: ['train'], cwd: '/', role: 'user' as const, obstacle: '' as const }
  host.rescue = { ...emptyRescue(), state: 'replayed', processes: [ended] }
  host.fail('wake', { code: 'sandbox.memory-unusable', kind: 'internal' })
  await call('POST', `/threads/${threadId}/sandbox/wake`)
  return await until('the report', async () => {
    const { latestReport } = await call<SandboxDetail>('GET', `/threads/${threadId}/sandbox`)
    if (latestReport?.status !== 'complete') return undefined
    const restartId = latestReport.items.find((item) => item.restartId !== null)?.restartId ?? ''
    return { threadId, reportId: latestReport.id, restartId }
  })
}

/** A thread with a file in two git repositories of its sandbox; in one it was renamed and changed. */
async function withRepositories(server: PageServer): Promise<{ threadId: string }> {
  const threadId = await newThread(server)
  const folder = await folderOf(server, threadId)
  const sandboxId = folder.split('/').at(-3) ?? ''
  for (const repository of [folder, `${folder}/a`]) {
    await mkdir(repository, { recursive: true })
    await writeFile(`${repository}/b.txt`, 'one\ntwo\nthree\n')
    const identity = ['-c', 'user.name=You', '-c', 'user.email=you@example.com']
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...identity, ...args], { stdio: 'pipe' })
    git('init', '--quiet')
    git('add', 'b.txt')
    git('commit', '--quiet', '--message', 'First')
    git('mv', 'b.txt', 'a.txt')
    await writeFile(`${repository}/a.txt`, 'one\ntwo\nthree\nfour\n')
  }
  server.gitIn(sandboxId)
  return { threadId }
}

/** The folder on this machine that is the home of a thread’s awake sandbox. */
async function folderOf(server: PageServer, threadId: string): Promise<string> {
  const { call, host } = server
  await call('POST', `/threads/${threadId}/sandbox/wake`)
  const name = `of-${threadId}.txt`
  await writeIn(server, { threadId, name })
  const folders = [...host.sandboxes.keys()].map((sandboxId) => host.pathOf(sandboxId, 'home/user'))
  return folders.find((folder) => existsSync(`${folder}/${name}`)) ?? ''
}

async function writeIn(
  { call }: PageServer,
  { threadId, name }: { threadId: string; name: string },
): Promise<undefined> {
  await call('PUT', `/threads/${threadId}/files/content?path=/home/user/${name}`, `${name}\n`)
}

/** A thread with a file in its sandbox, which is paused. */
async function asleepWith(server: PageServer, name: string): Promise<{ threadId: string }> {
  const threadId = await newThread(server)
  await writeIn(server, { threadId, name })
  await server.call('POST', `/threads/${threadId}/sandbox/pause`)
  return { threadId }
}

async function callIn(
  { call }: PageServer,
  { threadId, status }: { threadId: string; status: string },
): Promise<string> {
  return await until(`a call that is ${status}`, async () => {
    const { entries } = await call<EntriesPage>('GET', `/threads/${threadId}/entries`)
    return entries.find((entry) => entry.kind === 'tool-call' && entry.status === status)?.id
  })
}

async function snapshotIn({ call }: PageServer, threadId: string): Promise<string> {
  return await until('a snapshot', async () => {
    const { snapshots } = await call<ThreadSnapshots>('GET', `/threads/${threadId}/snapshots`)
    return snapshots.find(({ state }) => state === 'kept')?.id ?? undefined
  })
}

async function until<Value>(what: string, find: () => Promise<Value | undefined>): Promise<Value> {
  for (const startedAt = Date.now(); Date.now() - startedAt < waitMs; await setTimeout(20)) {
    const found = await find()
    if (found !== undefined) return found
  }
  throw new Error(`no sign of ${what} after ${waitMs / 1000} s`)
}
