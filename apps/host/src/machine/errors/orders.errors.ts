import { defineError } from '@threadbox/errors'

export const sandboxNotFound = defineError<{ sandboxId: string }>({
  code: 'sandbox.not-found',
  kind: 'not-found',
  message: ({ sandboxId }) => `Sandbox ${sandboxId} not found on this host.`,
  remedy: () => 'Create the sandbox first.',
})

export const sandboxDeleting = defineError<{ sandboxId: string }>({
  code: 'sandbox.deleting',
  kind: 'conflict',
  message: ({ sandboxId }) => `Sandbox ${sandboxId} is being deleted.`,
  remedy: () => 'Use another sandbox.',
})

export const bootUsedBefore = defineError<{ bootId: string }>({
  code: 'sandbox.boot-used',
  kind: 'conflict',
  message: ({ bootId }) => `Boot ${bootId} has already ended.`,
  remedy: () => 'Start the sandbox with a new boot ID.',
})

/** The error for open requests to a sandbox when its boot ends. */
export const sandboxEnded = defineError<{ sandboxId: string; bootId: string; cause: string; detail: string }>({
  code: 'sandbox.ended',
  kind: 'interrupted',
  message: ({ detail }) => `The sandbox stopped while handling the request: ${detail}`,
  remedy: () => 'Start the sandbox again. Its files are kept; its processes are gone.',
})

export const guestSilent = defineError<{ sandboxId: string; waitedMs: number; reason: string }>({
  code: 'sandbox.guest-silent',
  kind: 'unavailable',
  message: ({ waitedMs, reason }) =>
    `The sandbox started, but its guest daemon wasn’t ready within ${waitedMs} ms: ${reason}`,
  remedy: () => 'Try again. If it happens again, run `threadbox doctor`, which tests a real sandbox.',
})

export const guestEndedEarly = defineError<{ sandboxId: string; detail: string }>({
  code: 'sandbox.guest-ended-early',
  kind: 'unavailable',
  message: ({ detail }) => `The sandbox stopped before it was ready: ${detail}`,
  remedy: () => 'Try again. If it happens again, run `threadbox doctor`, which tests a real sandbox.',
})

export const hostPreparing = defineError<{ what: string }>({
  code: 'host.preparing',
  kind: 'unavailable',
  message: ({ what }) => `Sandboxes can’t start yet: the host is still preparing ${what}.`,
  remedy: () => 'Try again in a few minutes. If preparing doesn’t finish, check `./threadbox logs host`.',
})

/** The error for work that can wait. */
export const hostBusy = defineError({
  code: 'host.busy',
  kind: 'conflict',
  message: () => 'The host has more urgent work.',
  remedy: () => 'Try again in a few seconds.',
})

export const hostShuttingDown = defineError({
  code: 'host.shutting-down',
  kind: 'unavailable',
  message: () => 'The host daemon is shutting down.',
  remedy: () => 'Start threadbox again.',
})

export const imageMissing = defineError({
  code: 'host.image-missing',
  kind: 'unavailable',
  message: () => 'No base image is available for new sandboxes.',
  remedy: () => 'Run `threadbox up` again. It builds the image and sets THREADBOX_IMAGE.',
})
