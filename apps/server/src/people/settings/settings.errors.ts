import { defineError } from '@threadbox/errors'

export const settingUnknown = defineError<{ name: string }>({
  code: 'setting.unknown',
  kind: 'invalid',
  message: ({ name }) => `There is no setting ${name} that can be changed here.`,
  remedy: () => 'The settings and their names are listed by GET /api/v1/settings.',
})

export const settingValueInvalid = defineError<{ name: string; problem: string }>({
  code: 'setting.value-invalid',
  kind: 'invalid',
  message: ({ name, problem }) => `${name} cannot be set to this: ${problem}`,
  remedy: () => 'Choose a value in the range of the setting, or null for its default.',
})

export const ownerRequired = defineError({
  code: 'auth.owner-required',
  kind: 'forbidden',
  message: () => 'Only the owner of this installation may do this.',
  remedy: () => 'Ask the owner.',
})
