import type { SandboxView, Thread } from '@threadbox/sdk'

const now = Date.now()
const hour = 3_600_000
const limits = { memoryBytes: 4 * 1024 ** 3, cpus: 2, processes: 1024, diskBytes: 10 * 1024 ** 3 }

function thread(
  id: string,
  title: string,
  values: Partial<Thread> & { state?: SandboxView['state']; agoMs?: number },
): Thread {
  const { state = 'active', agoMs = hour, ...rest } = values
  return {
    id,
    title,
    titleSource: 'automatic',
    createdAt: now - agoMs - hour,
    updatedAt: now - agoMs,
    isPinned: false,
    deletedAt: null,
    modelId: null,
    isTurnRunning: false,
    hasUnread: false,
    sandbox: { state, since: now - agoMs, detail: null, limits },
    ...rest,
  }
}

export const threads: Thread[] = [
  thread('forecast', 'Demand forecast', { isPinned: true }),
  thread('live', 'Install and plot', { isTurnRunning: true, agoMs: 1000 }),
  thread('failed', 'Quarterly numbers', { agoMs: 2 * hour }),
  thread('queue', 'Clean station names', { agoMs: 2.5 * hour, isTurnRunning: true }),
  thread('weather', 'Join weather to trips', { state: 'paused', agoMs: 3 * hour, hasUnread: true }),
  thread('backup', 'Nightly backup script', { state: 'starting', agoMs: 26 * hour }),
  thread('nextcloud', 'Nextcloud 31 upgrade with a title that is far too long for one line', {
    state: 'error',
    agoMs: 28 * hour,
    sandbox: {
      state: 'error',
      since: now - 28 * hour,
      detail: { code: 'start.failed', params: { message: 'disk full' } },
      limits,
    },
  }),
  thread('proxy', 'Reverse proxy notes', { state: 'fresh', agoMs: 50 * hour }),
  thread('report', 'Q3 report figures', { state: 'cold', agoMs: 9 * 24 * hour }),
  ...Array.from({ length: 300 }, (_, index) =>
    thread(`old-${index}`, `Older thread ${index + 1}`, { state: 'cold', agoMs: (20 + index) * 24 * hour }),
  ),
]
