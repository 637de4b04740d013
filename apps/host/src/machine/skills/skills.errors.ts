import { defineError } from '@threadbox/errors'

export const skillPackageInvalid = defineError<{ digest: string }>({
  code: 'skill.package-invalid',
  kind: 'invalid',
  message: ({ digest }) => `What was sent is not the package ${digest}: it was damaged on its way, or is none.`,
  remedy: () => 'Use a server of the same version as the host daemon, and send it again.',
})
