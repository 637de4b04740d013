import { defineError } from '@threadbox/errors'

export const agentNotFound = defineError({
  code: 'agent.not-found',
  kind: 'not-found',
  message: () => 'There is no agent with this id.',
  remedy: () => 'It may have been deleted. Choose another one from the list.',
})

export const agentVersionNotFound = defineError({
  code: 'agent.version-not-found',
  kind: 'not-found',
  message: () => 'The agent has no such version.',
  remedy: () => 'It may have been deleted. Choose another one from its versions.',
})

export const agentNameTaken = defineError<{ name: string }>({
  code: 'agent.name-taken',
  kind: 'conflict',
  message: ({ name }) => `There is an agent ${name} already, in the same place.`,
  remedy: () => 'Choose another name, or rename or delete the other one first.',
})

export const agentLimitReached = defineError<{ limit: number }>({
  code: 'agent.limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `There are ${limit} agents in this place, and more are not kept.`,
  remedy: () => 'Delete one that is not used, or put this one into a workspace.',
})

export const agentVersionLimitReached = defineError<{ limit: number }>({
  code: 'agent.version-limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `The agent has ${limit} versions, and more are not kept.`,
  remedy: () => 'Delete versions that are not used any more.',
})

export const agentVersionCurrent = defineError({
  code: 'agent.version-current',
  kind: 'conflict',
  message: () => 'This version is the one that threads start from.',
  remedy: () => 'Make another version the current one first, or delete the agent.',
})

export const agentStartInterrupted = defineError({
  code: 'agent.start-interrupted',
  kind: 'conflict',
  message: () => 'A thread of this id was being made when the server ended, and is being removed.',
  remedy: () => 'Start another thread.',
})

export const environmentEmpty = defineError({
  code: 'environment.empty',
  kind: 'conflict',
  message: () => 'This thread has not used its computer yet, so there is nothing of it to save.',
  remedy: () => 'Save an agent without a computer, or use the thread first.',
})

export const environmentNotFound = defineError({
  code: 'environment.not-found',
  kind: 'not-found',
  message: () => 'There is no captured computer with this id.',
  remedy: () => 'It is kept for an hour unless an agent has it. Capture it again.',
})

export const agentFileDamaged = defineError<{ problem: string }>({
  code: 'agent-file.damaged',
  kind: 'invalid',
  message: ({ problem }) => `The file is not an agent, or not all of one: ${problem}`,
  remedy: () => 'Export the agent again and see that the whole file arrives.',
})

export const agentFileOtherFormat = defineError<{ format: number }>({
  code: 'agent-file.other-format',
  kind: 'unsupported',
  message: ({ format }) => `The file has form ${format}, which this version does not read.`,
  remedy: () => 'Bring both installations to the same version and export it again.',
})

export const agentFileOtherImage = defineError<{ wanted: string; present: string }>({
  code: 'agent-file.other-image',
  kind: 'conflict',
  message: ({ wanted, present }) => `The computer of the agent belongs over the image ${wanted}; here is ${present}.`,
  remedy: () => 'Bring both installations to the same version and export the agent again.',
})
