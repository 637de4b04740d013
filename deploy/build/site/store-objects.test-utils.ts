import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setUpBackups } from '../../../tests/stack/run-backup.ts'
import type { PageServer } from './page-server.test-utils.ts'

/** For requests that write to a store. */
export const storePreparations: Record<string, (server: PageServer) => Promise<Record<string, string> | undefined>> = {
  'POST /threads/{threadId}/sandbox/archive': async ({ call }) => {
    const { id: threadId } = await call<{ id: string }>('POST', '/threads', {})
    await call('POST', `/threads/${threadId}/sandbox/wake`)
    await call('POST', `/threads/${threadId}/sandbox/pause`)
    return { threadId }
  },
  'POST /machine/backups/run': async ({ environment, server, stores }) => {
    const store = join(stores, 'backups')
    await mkdir(store)
    await setUpBackups({ host: { environment }, server }, store)
    return undefined
  },
}
