import { defineError } from '@threadbox/errors'

export const hostUnreachable = defineError({
  code: 'host.unreachable',
  kind: 'unavailable',
  message: () => 'The service that runs sandboxes on this machine does not answer.',
  remedy: () => 'It may still be starting. If this stays, run `threadbox doctor` on the server.',
})
