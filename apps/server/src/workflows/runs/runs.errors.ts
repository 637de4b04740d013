import { defineError } from '@threadbox/errors'

export const runNotFound = defineError({
  code: 'run.not-found',
  kind: 'not-found',
  message: () => 'There is no run with this id.',
  remedy: () => 'Runs are listed for a limited time. Look at the runs of the agent again.',
})

export const runQueueFull = defineError<{ limit: number }>({
  code: 'run.queue-full',
  kind: 'exhausted',
  message: ({ limit }) => `${limit} runs wait already, which is as many as may wait.`,
  remedy: () => 'Wait until some have ended, cancel some, or raise the limit in the settings.',
})

/** Nobody watches a run, so what a person would have to allow is denied. */
export const runApprovalNeeded = defineError<{ tool: string; connection: string }>({
  code: 'run.approval-needed',
  kind: 'forbidden',
  message: ({ tool, connection }) =>
    `The run needed approval of ${tool}${connection === '' ? '' : ` of ${connection}`}, and nobody was there to give it.`,
  remedy: () => 'Allow the tool in the settings of its connection, or do this part in a thread that somebody watches.',
})

export const runCommandFailed = defineError<{ exitCode: number }>({
  code: 'run.command-failed',
  kind: 'conflict',
  message: ({ exitCode }) => `The command ended with ${exitCode}.`,
  remedy: () => 'Its output says why.',
})

export const runCellFailed = defineError({
  code: 'run.cell-failed',
  kind: 'conflict',
  message: () => 'The Python code ended with an exception.',
  remedy: () => 'Its output says which one.',
})

export const runThreadGone = defineError({
  code: 'run.thread-gone',
  kind: 'conflict',
  message: () => 'The thread of the run was deleted, or its message was taken back, before the run had ended.',
  remedy: () => 'Start another run.',
})

export const runStopped = defineError({
  code: 'run.stopped',
  kind: 'conflict',
  message: () => 'Somebody stopped the run.',
  remedy: () => 'Start another run if it was not meant.',
})

export const runMissed = defineError<{ count: number; from: string; to: string }>({
  code: 'run.missed',
  kind: 'unavailable',
  message: ({ count, from, to }) =>
    count === 1
      ? `The server was not there at ${to}.`
      : `The server was not there at ${count} due times, ${from} to ${to}.`,
  remedy: () => 'Set the schedule to run once for what was missed, if that matters.',
})

export const runOverlap = defineError({
  code: 'run.overlap',
  kind: 'conflict',
  message: () => 'An earlier run of the schedule had not ended.',
  remedy: () => 'Run it less often, or let its runs wait for each other or run side by side.',
})

export const runTriggerNotFound = defineError({
  code: 'run.trigger-not-found',
  kind: 'not-found',
  message: () => 'There is no schedule or webhook with this id.',
  remedy: () => 'It may have been deleted. Look at the agent again.',
})

export const runTriggerLimit = defineError<{ limit: number }>({
  code: 'run.trigger-limit',
  kind: 'conflict',
  message: ({ limit }) => `The agent has ${limit} of them already, which is as many as it may have.`,
  remedy: () => 'Delete one that is not needed.',
})

export const scheduleCronInvalid = defineError<{ cron: string }>({
  code: 'schedule.cron-invalid',
  kind: 'invalid',
  message: ({ cron }) => `This is no time plan: ${cron}`,
  remedy: () => 'Write five fields: minute, hour, day of the month, month, day of the week; such as `30 7 * * 1-5`.',
})

export const scheduleNever = defineError<{ cron: string }>({
  code: 'schedule.never-due',
  kind: 'invalid',
  message: ({ cron }) => `There is no such day: ${cron}`,
  remedy: () => 'Choose a day that a month has.',
})

export const scheduleZoneInvalid = defineError<{ timeZone: string }>({
  code: 'schedule.time-zone-invalid',
  kind: 'invalid',
  message: ({ timeZone }) => `There is no time zone ${timeZone}.`,
  remedy: () => 'Use a name such as Europe/Berlin or UTC.',
})

/** The same for an address that there is not, so that nobody learns which there are. */
export const webhookRefused = defineError({
  code: 'webhook.refused',
  kind: 'unauthenticated',
  message: () => 'There is no such webhook, or the signature is not that of its secret.',
  remedy: () => 'Check the address and the secret; sign `<webhook-id>.<webhook-timestamp>.<body>` byte by byte.',
})

export const webhookHeadersMissing = defineError({
  code: 'webhook.headers-missing',
  kind: 'invalid',
  message: () => 'The request needs the headers webhook-id, webhook-timestamp and webhook-signature.',
  remedy: () => 'Sign it as docs/runs.md describes.',
})

export const webhookOutOfTime = defineError<{ toleranceSeconds: number }>({
  code: 'webhook.out-of-time',
  kind: 'forbidden',
  message: ({ toleranceSeconds }) => `The request was signed more than ${toleranceSeconds} seconds ago, or ahead.`,
  remedy: () => 'Sign it anew when it is sent, and set the clock of the sender.',
})

export const webhookReplayed = defineError<{ runId: string }>({
  code: 'webhook.replayed',
  kind: 'conflict',
  message: () => 'A request with this webhook-id was accepted already, so nothing was started again.',
  remedy: () => 'Give each event an id of its own; the run that it started is named in the details.',
})

export const webhookDisabled = defineError({
  code: 'webhook.disabled',
  kind: 'conflict',
  message: () => 'This webhook is switched off.',
  remedy: () => 'Switch it on in the app.',
})
