import { defineError } from '@threadbox/errors'

export const turnRunning = defineError({
  code: 'turn.running',
  kind: 'conflict',
  message: () => 'You can’t do this while the agent is responding.',
  remedy: () => 'Wait until it finishes, or stop it first.',
})

export const turnNotRepeatable = defineError({
  code: 'turn.not-repeatable',
  kind: 'conflict',
  message: () => 'This thread has no response to retry.',
  remedy: () => 'Send a message.',
})

export const noModelConnected = defineError({
  code: 'model.none-connected',
  kind: 'conflict',
  message: () => 'No model is connected.',
  remedy: () => 'Connect one in Settings, or use /run and /python, which don’t need a model.',
})

export const callNotAwaiting = defineError({
  code: 'call.not-awaiting',
  kind: 'conflict',
  message: () => 'This call is not waiting for approval: it was already decided, or the turn was stopped.',
  remedy: () => 'Reload the conversation.',
})

export const messageEmpty = defineError({
  code: 'message.empty',
  kind: 'invalid',
  message: () => 'The message has no text and no attachment.',
  remedy: () => 'Write something, or attach a file.',
})

export const screenshotNotAPicture = defineError<{ attachmentId: string }>({
  code: 'message.screenshot-not-a-picture',
  kind: 'invalid',
  message: ({ attachmentId }) =>
    `The screenshot details for “${attachmentId}” don’t match an image attached to this message.`,
  remedy: () => 'Upload the image as PNG, JPEG or WebP and include its ID in attachmentIds.',
})

export const messageNotFound = defineError({
  code: 'message.not-found',
  kind: 'not-found',
  message: () => 'Message not found in this thread.',
  remedy: () => 'Reload the conversation; the message may have been removed.',
})

export const messageNotQueued = defineError({
  code: 'message.not-queued',
  kind: 'conflict',
  message: () => 'The message is no longer queued.',
  remedy: () => 'It was sent or removed. You can edit a sent message and send it again.',
})

export const messageNotDelivered = defineError({
  code: 'message.not-delivered',
  kind: 'conflict',
  message: () => 'The message is still queued.',
  remedy: () => 'Edit it in the queue.',
})

export const queueFull = defineError<{ limit: number }>({
  code: 'queue.full',
  kind: 'exhausted',
  message: ({ limit }) => `A thread can have up to ${limit} queued messages.`,
  remedy: () => 'Wait until some are sent, or remove some.',
})

export const queueChanged = defineError({
  code: 'queue.changed',
  kind: 'conflict',
  message: () => 'The queue changed, so the new order doesn’t match its messages.',
  remedy: () => 'Reload the conversation and reorder the current queue.',
})

export const callNotFound = defineError({
  code: 'call.not-found',
  kind: 'not-found',
  message: () => 'Call not found in this thread.',
  remedy: () => 'Reload the conversation; the call may have been removed.',
})

export const callNotRepeatable = defineError<{ tool: string }>({
  code: 'call.not-repeatable',
  kind: 'unsupported',
  message: ({ tool }) => `You can’t run a ${tool} call again.`,
  remedy: () => 'You can run commands and Python code again. For anything else, ask the agent.',
})
