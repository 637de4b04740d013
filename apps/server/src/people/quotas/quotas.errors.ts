import type { QuotaName } from '@threadbox/domain'
import { defineError } from '@threadbox/errors'

/** `used` and `limit` in USD, `resets` as a date. */
export const modelSpendUsedUp = defineError<{ used: string; limit: string; resets: string; resetsAt: number }>({
  code: 'quota.spend-used-up',
  kind: 'exhausted',
  message: ({ used, limit }) => `You have used ${used} of ${limit} USD for models this month.`,
  remedy: ({ resets }) => `The limit starts again on ${resets}. You can ask for more in Settings, Usage.`,
})

export const installationSpendUsedUp = defineError<{ limit: string; resets: string; resetsAt: number }>({
  code: 'quota.installation-spend-used-up',
  kind: 'exhausted',
  message: ({ limit }) => `This installation has used its ${limit} USD for models this month.`,
  remedy: ({ resets }) => `The limit starts again on ${resets}. The owner and admins can raise it.`,
})

export const modelUnpriced = defineError<{ model: string }>({
  code: 'quota.model-unpriced',
  kind: 'forbidden',
  message: ({ model }) => `${model} has no price, and your limit for models can’t count it.`,
  remedy: () => 'Switch to another model, or ask an admin to enter its price.',
})

export const awakeUsedUp = defineError<{ limit: number }>({
  code: 'quota.awake-used-up',
  kind: 'exhausted',
  message: ({ limit }) => `You have ${limit} sandboxes awake, which is your limit.`,
  remedy: () => 'Pause one of them, wait until one is idle, or ask for more in Settings, Usage.',
})

/** For programs: a page shows the queue, and waits. */
export const placeAwaited = defineError<{ quota: QuotaName; used: number; limit: number; retryAfterSeconds: number }>({
  code: 'quota.place-awaited',
  kind: 'exhausted',
  message: ({ used, limit }) => `You have ${used} of ${limit} sandboxes awake, and none of them became idle.`,
  remedy: ({ retryAfterSeconds }) =>
    `Pause one of them, try again in ${retryAfterSeconds} s, or ask for more in Settings, Usage.`,
})

export const sandboxesUsedUp = defineError<{ quota: QuotaName; used: number; limit: number }>({
  code: 'quota.sandboxes-used-up',
  kind: 'exhausted',
  message: ({ used, limit }) => `You have ${used} sandboxes, and your limit is ${limit}.`,
  remedy: () => 'Delete threads that you no longer need, or ask for more in Settings, Usage.',
})

/** `largest`: the title of the thread for its creator, its ID for everyone else who works in their threads. */
export const diskUsedUp = defineError<{
  quota: QuotaName
  used: number
  limit: number
  usedGiB: string
  limitGiB: string
  largest: string
  largestGiB: string
}>({
  code: 'quota.disk-used-up',
  kind: 'exhausted',
  message: ({ usedGiB, limitGiB, largest, largestGiB }) =>
    `Your sandboxes use ${usedGiB} of ${limitGiB} GiB. The largest is that of ${largest}, with ${largestGiB} GiB.`,
  remedy: () => 'Delete files in a sandbox that is awake, delete threads, or ask for more in Settings, Usage.',
})

export const requestsUsedUp = defineError<{
  quota: QuotaName
  used: number
  limit: number
  retryAfterSeconds: number
}>({
  code: 'quota.requests-used-up',
  kind: 'exhausted',
  message: ({ limit }) => `You sent more than ${limit} requests a second for a while, which is your limit.`,
  remedy: ({ retryAfterSeconds }) => `Try again in ${retryAfterSeconds} s, or ask for more in Settings, Usage.`,
})

/** The quotas of refusals that are responses to requests. Turns report theirs themselves. */
export const quotaOfRefusal: Readonly<Partial<Record<string, QuotaName>>> = {
  [awakeUsedUp.code]: 'awakeSandboxes',
  [placeAwaited.code]: 'awakeSandboxes',
  [sandboxesUsedUp.code]: 'sandboxes',
  [diskUsedUp.code]: 'diskBytes',
  [requestsUsedUp.code]: 'apiRequestsPerSecond',
}

export const presetNotFound = defineError({
  code: 'quota.preset-not-found',
  kind: 'not-found',
  message: () => 'Preset not found.',
  remedy: () => 'Reload the list.',
})

export const presetNameTaken = defineError<{ name: string }>({
  code: 'quota.preset-name-taken',
  kind: 'conflict',
  message: ({ name }) => `There is already a preset called ${name}.`,
  remedy: () => 'Choose another name.',
})

export const presetIsDefault = defineError({
  code: 'quota.preset-is-default',
  kind: 'conflict',
  message: () => 'Members without another preset have this one.',
  remedy: () => 'Change its limits instead.',
})

export const quotaRequestNotFound = defineError({
  code: 'quota.request-not-found',
  kind: 'not-found',
  message: () => 'Request not found.',
  remedy: () => 'It may have been decided already. Reload the list.',
})

export const quotaRequestOpen = defineError({
  code: 'quota.request-open',
  kind: 'conflict',
  message: () => 'You have asked for more already.',
  remedy: () => 'Wait for the decision of an admin.',
})
