import { defineError } from '@threadbox/errors'

export const sandboxNotFound = defineError<{ sandboxId: string }>({
  code: 'sandbox.not-found',
  kind: 'not-found',
  message: ({ sandboxId }) => `This host has no sandbox ${sandboxId}.`,
  remedy: () => 'Make the sandbox first.',
})

export const sandboxDeleting = defineError<{ sandboxId: string }>({
  code: 'sandbox.deleting',
  kind: 'conflict',
  message: ({ sandboxId }) => `The sandbox ${sandboxId} is being deleted.`,
  remedy: () => 'Use another sandbox.',
})

/** An order that was meant for another incarnation of the sandbox than the one there is. */
export const otherBoot = defineError<{ sandboxId: string; bootId: string; currentBootId: string }>({
  code: 'sandbox.other-boot',
  kind: 'conflict',
  message: ({ bootId, currentBootId }) => `The order is for boot ${bootId}, but the sandbox runs as ${currentBootId}.`,
  remedy: () => 'Ask for the state of the sandbox and decide again.',
})

export const bootUsedBefore = defineError<{ bootId: string }>({
  code: 'sandbox.boot-used',
  kind: 'conflict',
  message: ({ bootId }) => `The boot ${bootId} was used before and has ended.`,
  remedy: () => 'Start the sandbox under a new boot id.',
})

export const sandboxNotRunning = defineError<{ sandboxId: string }>({
  code: 'sandbox.not-running',
  kind: 'conflict',
  message: () => 'The sandbox is not running.',
  remedy: () => 'Start it first.',
})

/** What open requests to a sandbox get when its boot ends under them. */
export const sandboxEnded = defineError<{ sandboxId: string; bootId: string; cause: string; detail: string }>({
  code: 'sandbox.ended',
  kind: 'interrupted',
  message: ({ detail }) => `The sandbox ended while it was answering: ${detail}`,
  remedy: () => 'Start the sandbox again: its files are kept, its processes are gone.',
})

export const guestSilent = defineError<{ sandboxId: string; waitedMs: number; reason: string }>({
  code: 'sandbox.guest-silent',
  kind: 'unavailable',
  message: ({ waitedMs, reason }) =>
    `The sandbox was started, but its guest daemon did not become ready within ${waitedMs} ms: ${reason}`,
  remedy: () => 'Try again; if it happens again, run `threadbox doctor`, which looks into a real sandbox.',
})

export const guestEndedEarly = defineError<{ sandboxId: string; detail: string }>({
  code: 'sandbox.guest-ended-early',
  kind: 'unavailable',
  message: ({ detail }) => `The sandbox ended before it was ready: ${detail}`,
  remedy: () => 'Try again; if it happens again, run `threadbox doctor`, which looks into a real sandbox.',
})

export const hostPreparing = defineError<{ what: string }>({
  code: 'host.preparing',
  kind: 'unavailable',
  message: ({ what }) => `Sandboxes cannot start yet: ${what} is still being prepared.`,
  remedy: () => 'Wait until the installation has finished; its steps are shown on the page.',
})

export const hostShuttingDown = defineError({
  code: 'host.shutting-down',
  kind: 'unavailable',
  message: () => 'The host daemon is shutting down and starts nothing any more.',
  remedy: () => 'Start threadbox again.',
})

export const imageMissing = defineError({
  code: 'host.image-missing',
  kind: 'unavailable',
  message: () => 'There is no base image for new sandboxes.',
  remedy: () => 'Run `threadbox up` again: it builds the image and sets THREADBOX_IMAGE.',
})
