import { defineError } from '@threadbox/errors'

export const agentNotFound = defineError({
  code: 'agent.not-found',
  kind: 'not-found',
  message: () => 'Agent not found.',
  remedy: () => 'It may have been deleted. Choose another one from the list.',
})

export const agentReviewRequired = defineError({
  code: 'agent.review-required',
  kind: 'conflict',
  message: () => 'This agent was imported from a file and waits for a review. Nothing can start from it yet.',
  remedy: () => 'Open Agents, review the draft, and accept what the agent may use.',
})

export const agentDraftNotFound = defineError({
  code: 'agent-draft.not-found',
  kind: 'not-found',
  message: () => 'Draft not found.',
  remedy: () => 'It may have been accepted or declined. Look for it under Agents, or import the file again.',
})

export const agentDraftOtherFile = defineError<{ sha256: string }>({
  code: 'agent-draft.other-file',
  kind: 'conflict',
  message: ({ sha256 }) => `The reviewed file isn’t the one of this draft, which has the SHA-256 ${sha256}.`,
  remedy: () => 'Open the draft again and review it.',
})

export const agentDraftNotOffered = defineError<{ item: string }>({
  code: 'agent-draft.not-offered',
  kind: 'invalid',
  message: ({ item }) => `The draft doesn’t offer this: ${item}.`,
  remedy: () => 'Open the draft again. Accept services and variables only together with the environment.',
})

export const agentDraftLimitReached = defineError<{ limit: number }>({
  code: 'agent-draft.limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `Up to ${limit} imported agents can wait for a review here.`,
  remedy: () => 'Accept or decline some of them first.',
})

export const agentVersionNotFound = defineError({
  code: 'agent.version-not-found',
  kind: 'not-found',
  message: () => 'Agent version not found.',
  remedy: () => 'It may have been deleted. Choose another version.',
})

export const agentNameTaken = defineError<{ name: string }>({
  code: 'agent.name-taken',
  kind: 'conflict',
  message: ({ name }) => `An agent named ${name} already exists here.`,
  remedy: () => 'Choose another name, save this as a new version of that agent, or rename or delete it.',
})

export const agentLimitReached = defineError<{ limit: number }>({
  code: 'agent.limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `You can have up to ${limit} agents here.`,
  remedy: () => 'Delete an agent you don’t use, or add this one to a workspace.',
})

export const agentVersionLimitReached = defineError<{ limit: number }>({
  code: 'agent.version-limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `An agent can have up to ${limit} versions.`,
  remedy: () => 'Delete versions you don’t use.',
})

export const agentVersionCurrent = defineError({
  code: 'agent.version-current',
  kind: 'conflict',
  message: () => 'You can’t delete the current version.',
  remedy: () => 'Make another version current first, or delete the agent.',
})

export const agentStartInterrupted = defineError({
  code: 'agent.start-interrupted',
  kind: 'conflict',
  message: () =>
    'The server stopped while it was creating a thread with this ID. The incomplete thread is being deleted.',
  remedy: () => 'Start another thread.',
})

export const environmentEmpty = defineError({
  code: 'environment.empty',
  kind: 'conflict',
  message: () => 'This thread hasn’t used its sandbox yet, so there’s no environment to save.',
  remedy: () => 'Save the agent without an environment, or run a command in the thread first.',
})

export const environmentNotFound = defineError({
  code: 'environment.not-found',
  kind: 'not-found',
  message: () => 'Captured environment not found.',
  remedy: () => 'A captured environment is kept for an hour unless an agent uses it. Capture it again.',
})

export const agentFileDamaged = defineError<{ problem: string }>({
  code: 'agent-file.damaged',
  kind: 'invalid',
  message: ({ problem }) => `This isn’t a complete agent file: ${problem}`,
  remedy: () => 'Export the agent again and make sure the whole file is transferred.',
})

export const agentFileOtherFormat = defineError<{ format: number }>({
  code: 'agent-file.other-format',
  kind: 'unsupported',
  message: ({ format }) => `The file uses format ${format}, which this version can’t read.`,
  remedy: () => 'Update both installations to the same version, then export the agent again.',
})

export const agentFileOtherImage = defineError<{ wanted: string; present: string }>({
  code: 'agent-file.other-image',
  kind: 'conflict',
  message: ({ wanted, present }) =>
    `The agent’s environment needs the base image ${wanted}, but this installation has ${present}.`,
  remedy: () => 'Update both installations to the same version, then export the agent again.',
})
