import { defineError } from '@threadbox/errors'

export const hostUnreachable = defineError({
  code: 'host.unreachable',
  kind: 'unavailable',
  message: () => 'The host daemon isn’t responding.',
  remedy: () => 'It may still be starting. If it keeps happening, run `threadbox doctor` on the server.',
})
