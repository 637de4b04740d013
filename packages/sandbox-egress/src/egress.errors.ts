import { defineError } from '@threadbox/errors'

export const pathUnknown = defineError<{ path: string }>({
  code: 'egress.path-unknown',
  kind: 'not-found',
  message: ({ path }) => `The egress process has no route ${path}.`,
  remedy: () => 'Use the same version of server, host daemon and egress process.',
})
