/** Parameters of paths, as {@link BadInputRow} needs them. */
export const inThread = { params: { threadId: 'own' }, unknown: { threadId: 'thread.not-found' } } as const
export const message = {
  params: { threadId: 'own', entryId: 'own' },
  unknown: { threadId: 'thread.not-found', entryId: 'message.not-found' },
} as const
export const service = {
  params: { threadId: 'own', name: { value: 'web' } },
  unknown: { threadId: 'thread.not-found', name: 'service.not-found' },
} as const
export const terminal = {
  params: { threadId: 'own', terminalId: { value: 'y1' } },
  unknown: { threadId: 'thread.not-found', terminalId: 'terminal.not-found' },
} as const
export const workspace = { params: { workspaceId: 'own' }, unknown: { workspaceId: 'workspace.not-found' } } as const
export const person = {
  params: { personId: { value: 'u-unknown' } },
  unknown: { personId: 'person.not-found' },
} as const
export const member = {
  params: { workspaceId: 'own', userId: { value: 'u-unknown' } },
  unknown: { workspaceId: 'workspace.not-found', userId: 'workspace.member-not-found' },
} as const
export const agent = { params: { agentId: 'own' }, unknown: { agentId: 'agent.not-found' } } as const
export const draft = { params: { draftId: 'own' }, unknown: { draftId: 'agent-draft.not-found' } } as const
export const environment = {
  params: { environmentId: 'own' },
  unknown: { environmentId: 'environment.not-found' },
} as const
export const run = { params: { runId: 'own' }, unknown: { runId: 'run.not-found' } } as const
export const schedule = { params: { scheduleId: 'own' }, unknown: { scheduleId: 'run.trigger-not-found' } } as const
export const webhook = { params: { webhookId: 'own' }, unknown: { webhookId: 'run.trigger-not-found' } } as const
export const skill = { params: { skillId: 'own' }, unknown: { skillId: 'skill.not-found' } } as const
export const connection = {
  params: { connectionId: 'own' },
  unknown: { connectionId: 'connection.not-found' },
} as const
export const gitCredential = {
  params: { credentialId: 'own' },
  unknown: { credentialId: 'git-credential.not-found' },
} as const
export const secret = { params: { secretId: 'own' }, unknown: { secretId: 'secret.not-found' } } as const
export const secretInThread = {
  params: { threadId: 'own', secretId: 'own' },
  unknown: { threadId: 'thread.not-found', secretId: 'secret.not-found' },
} as const
export const secretInWorkspace = {
  params: { secretId: 'own', workspaceId: 'own' },
  unknown: { secretId: 'secret.not-found', workspaceId: 'workspace.not-found' },
} as const
export const model = { params: { modelId: 'own' }, unknown: { modelId: 'model.not-found' } } as const
export const modelOwner = { ownerOnly: 'model.owner-only' } as const
export const settingsOwner = { ownerOnly: 'auth.owner-required' } as const
export const password = 'correct horse battery'
export const snapshots = {
  one: {
    params: { threadId: 'own', snapshotId: 'own' },
    unknown: { threadId: 'thread.not-found', snapshotId: 'snapshot.not-found' },
  },
  pin: {
    params: { threadId: 'own', turnId: 'own' },
    unknown: { threadId: 'thread.not-found', turnId: 'snapshot.not-found' },
  },
} as const
