import { defineError } from '@threadbox/errors'

export const runNotFound = defineError({
  code: 'run.not-found',
  kind: 'not-found',
  message: () => 'Run not found.',
  remedy: () => 'Runs are listed for a limited time. Check the agent’s runs.',
})

export const runQueueFull = defineError<{ limit: number }>({
  code: 'run.queue-full',
  kind: 'exhausted',
  message: ({ limit }) => `The run queue is full (${limit} runs).`,
  remedy: () => 'Wait until some have finished, cancel some, or raise the limit in Settings.',
})

/** Runs are unattended, so calls that need approval are denied. */
export const runApprovalNeeded = defineError<{ tool: string; connection: string }>({
  code: 'run.approval-needed',
  kind: 'forbidden',
  message: ({ tool, connection }) =>
    `The run needed approval for ${tool}${connection === '' ? '' : ` on ${connection}`}, but runs are unattended.`,
  remedy: () => 'Allow the tool in the connection’s settings, or do this part in a thread where you can approve it.',
})

export const runCommandFailed = defineError<{ exitCode: number }>({
  code: 'run.command-failed',
  kind: 'conflict',
  message: ({ exitCode }) => `The command exited with ${exitCode}.`,
  remedy: () => 'See its output for the reason.',
})

export const runCellFailed = defineError({
  code: 'run.cell-failed',
  kind: 'conflict',
  message: () => 'The run’s Python code raised an exception.',
  remedy: () => 'See the traceback in the run’s output.',
})

export const runThreadGone = defineError({
  code: 'run.thread-gone',
  kind: 'conflict',
  message: () => 'The run’s thread was deleted, or its message was removed, before the run finished.',
  remedy: () => 'Start another run.',
})

export const runStopped = defineError({
  code: 'run.stopped',
  kind: 'conflict',
  message: () => 'The run was stopped.',
  remedy: () => 'Start another run if that wasn’t intended.',
})

export const runMissed = defineError<{ count: number; from: string; to: string }>({
  code: 'run.missed',
  kind: 'unavailable',
  message: ({ count, from, to }) =>
    count === 1
      ? `The server was down at the scheduled time, ${to}.`
      : `The server was down at ${count} scheduled times, from ${from} to ${to}.`,
  remedy: () => 'To catch up on missed runs, set the schedule to run once.',
})

export const runOverlap = defineError({
  code: 'run.overlap',
  kind: 'conflict',
  message: () => 'The schedule’s previous run hadn’t finished.',
  remedy: () => 'Run it less often, or let runs wait for each other or overlap.',
})

export const runPersonDisabled = defineError({
  code: 'run.person-disabled',
  kind: 'forbidden',
  message: () => 'The account that this runs for is disabled.',
  remedy: () => 'Ask someone else to save the schedule or webhook: it then runs for them.',
})

export const runTriggerNotFound = defineError({
  code: 'run.trigger-not-found',
  kind: 'not-found',
  message: () => 'Schedule or webhook not found.',
  remedy: () => 'It may have been deleted. Reload the agent.',
})

export const runTriggerLimit = defineError<{ limit: number }>({
  code: 'run.trigger-limit',
  kind: 'conflict',
  message: ({ limit }) => `An agent can have up to ${limit} schedules and ${limit} webhooks.`,
  remedy: () => 'Delete one you don’t use.',
})

export const scheduleCronInvalid = defineError<{ cron: string }>({
  code: 'schedule.cron-invalid',
  kind: 'invalid',
  message: ({ cron }) => `This cron expression is not valid: ${cron}`,
  remedy: () => 'Use five fields: minute, hour, day of month, month, day of week. Example: `30 7 * * 1-5`.',
})

export const scheduleNever = defineError<{ cron: string }>({
  code: 'schedule.never-due',
  kind: 'invalid',
  message: ({ cron }) => `This schedule never runs: ${cron}`,
  remedy: () => 'Choose a day that exists.',
})

export const scheduleZoneInvalid = defineError<{ timeZone: string }>({
  code: 'schedule.time-zone-invalid',
  kind: 'invalid',
  message: ({ timeZone }) => `Unknown time zone: ${timeZone}`,
  remedy: () => 'Use a name such as Europe/Berlin or UTC.',
})

/** The same error for an unknown webhook, so that it does not reveal which webhooks exist. */
export const webhookRefused = defineError({
  code: 'webhook.refused',
  kind: 'unauthenticated',
  message: () => 'The webhook doesn’t exist, or the signature doesn’t match its secret.',
  remedy: () => 'Check the URL and the secret, and sign exactly `<webhook-id>.<webhook-timestamp>.<body>`.',
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
  message: ({ toleranceSeconds }) =>
    `The request’s timestamp is more than ${toleranceSeconds} seconds away from the server’s time.`,
  remedy: () => 'Sign each request when you send it, and check the sender’s clock.',
})

export const webhookReplayed = defineError<{ runId: string }>({
  code: 'webhook.replayed',
  kind: 'conflict',
  message: () => 'A request with this webhook-id was already accepted, so no run was started.',
  remedy: () => 'Use a unique ID for each event. The details name the run it started.',
})

export const webhookDisabled = defineError({
  code: 'webhook.disabled',
  kind: 'conflict',
  message: () => 'This webhook is turned off.',
  remedy: () => 'Turn it on in the app.',
})
