import { defineError } from '@threadbox/errors'

export const skillPackageInvalid = defineError<{ digest: string }>({
  code: 'skill.package-invalid',
  kind: 'invalid',
  message: ({ digest }) => `The data doesn’t match the skill package ${digest}.`,
  remedy: () => 'Use the same version of server and host daemon, then send it again.',
})
