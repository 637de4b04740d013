import { defineError } from '@threadbox/errors'

export const usageOthersHidden = defineError({
  code: 'usage.others-hidden',
  kind: 'forbidden',
  message: () => 'Only the owner and admins see what everyone uses.',
  remedy: () => 'Open your own usage, or ask an admin.',
})

export const usagePeriodInvalid = defineError<{ days: number }>({
  code: 'usage.period-invalid',
  kind: 'invalid',
  message: () => 'The period ends before it starts, or is too long.',
  remedy: ({ days }) => `Choose at most ${days} days.`,
})
