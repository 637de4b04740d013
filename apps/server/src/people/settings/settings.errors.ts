import { defineError } from '@threadbox/errors'

export const settingUnknown = defineError<{ name: string }>({
  code: 'setting.unknown',
  kind: 'invalid',
  message: ({ name }) => `There is no setting ${name} that you can change here.`,
  remedy: () => 'GET /api/v1/settings lists the settings and their names.',
})

export const settingValueInvalid = defineError<{ name: string; problem: string }>({
  code: 'setting.value-invalid',
  kind: 'invalid',
  message: ({ name, problem }) => `${name} can’t have this value: ${problem}`,
  remedy: () => 'Use a value in the setting’s range, or null for its default.',
})

export const ownerRequired = defineError({
  code: 'auth.owner-required',
  kind: 'forbidden',
  message: () => 'Only the owner and admins of this installation can do this.',
  remedy: () => 'Ask one of them.',
})

export const ownPasskeyMissing = defineError({
  code: 'setting.own-passkey-missing',
  kind: 'conflict',
  message: () => 'You can’t require passkeys while you have none: you would lock yourself out.',
  remedy: () => 'Add a passkey in Settings, You, then change the setting.',
})
