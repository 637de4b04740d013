import { defineError } from '@threadbox/errors'

export const turnRunning = defineError({
  code: 'turn.running',
  kind: 'conflict',
  message: () => 'A turn is running in this thread, so this cannot be done now.',
  remedy: () => 'Wait until it ends, or stop it first.',
})

export const turnNotRepeatable = defineError({
  code: 'turn.not-repeatable',
  kind: 'conflict',
  message: () => 'There is no answer in this thread that could be asked for again.',
  remedy: () => 'Send a message.',
})

export const noModelConnected = defineError({
  code: 'model.none-connected',
  kind: 'conflict',
  message: () => 'No model is connected, so nobody can answer.',
  remedy: () => 'Connect a model in the settings, or use /run and /python without one.',
})

export const callNotAwaiting = defineError({
  code: 'call.not-awaiting',
  kind: 'conflict',
  message: () => 'This call does not wait for anybody: it was decided already, or the turn was stopped.',
  remedy: () => 'Look at the conversation again.',
})

export const messageEmpty = defineError({
  code: 'message.empty',
  kind: 'invalid',
  message: () => 'The message has neither text nor an attachment.',
  remedy: () => 'Write something, or attach a file.',
})

export const screenshotNotAPicture = defineError<{ attachmentId: string }>({
  code: 'message.screenshot-not-a-picture',
  kind: 'invalid',
  message: ({ attachmentId }) =>
    `The screenshot details for "${attachmentId}" belong to no picture among the attachments of this message.`,
  remedy: () => 'Upload the picture as PNG, JPEG or WebP, and name it in attachmentIds too.',
})

export const messageNotFound = defineError({
  code: 'message.not-found',
  kind: 'not-found',
  message: () => 'There is no such message in this thread.',
  remedy: () => 'Fetch the conversation again; it may have been removed.',
})

export const messageNotQueued = defineError({
  code: 'message.not-queued',
  kind: 'conflict',
  message: () => 'The message does not wait in the queue any more.',
  remedy: () => 'It was delivered or removed. A delivered message can be edited and sent again.',
})

export const messageNotDelivered = defineError({
  code: 'message.not-delivered',
  kind: 'conflict',
  message: () => 'The message still waits in the queue.',
  remedy: () => 'Change it there; it has not been sent yet.',
})

export const queueFull = defineError<{ limit: number }>({
  code: 'queue.full',
  kind: 'exhausted',
  message: ({ limit }) => `At most ${limit} messages can wait in a thread.`,
  remedy: () => 'Wait until some are delivered, or remove some.',
})

export const queueChanged = defineError({
  code: 'queue.changed',
  kind: 'conflict',
  message: () => 'The queue has changed, so the new order does not name exactly its messages.',
  remedy: () => 'Fetch the conversation again and order what is there.',
})

export const callNotFound = defineError({
  code: 'call.not-found',
  kind: 'not-found',
  message: () => 'There is no such call in this thread.',
  remedy: () => 'Fetch the conversation again; it may have been removed.',
})

export const callNotRepeatable = defineError<{ tool: string }>({
  code: 'call.not-repeatable',
  kind: 'unsupported',
  message: ({ tool }) => `A call of ${tool} cannot be run again by hand.`,
  remedy: () => 'Commands and Python code can; for anything else ask the agent.',
})
