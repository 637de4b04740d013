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
    workspaceId: null,
    creatorId: 'owner',
    isPrivate: false,
    isPersonalOff: false,
    allowed: ['read', 'work', 'change', 'manage'],
    isTurnRunning: false,
    hasUnread: false,
    sandbox: { state, since: now - agoMs, detail: null, limits },
    ...rest,
  }
}

export const threads: Thread[] = [
  thread('forecast', 'Demand forecast', { isPinned: true }),
  thread('asleep', 'Training run', {
    agoMs: 20 * 60_000,
    sandbox: {
      state: 'active',
      since: now - 20 * 60_000,
      detail: null,
      limits,
      awake: {
        reasons: [{ reason: 'cpu', detail: 'python training.py --epochs 20' }],
        pauseAt: null,
        heldUntil: null,
        latestPauseAt: now + 23 * hour,
      },
    },
  }),
  thread('notices', 'Announcements', {
    sandbox: {
      state: 'active',
      since: now - hour,
      detail: null,
      limits,
      awake: { reasons: [], pauseAt: now + 28 * 60_000, heldUntil: null, latestPauseAt: now + 20 * hour },
    },
  }),
  thread('paused', 'Slept over night', {
    sandbox: {
      state: 'paused',
      since: now - 9 * hour,
      detail: { code: 'paused.idle', params: { minutes: 30 } },
      limits,
      asleep: { memory: 'frozen', memoryUntil: now + 2 * hour, removedAt: null },
    },
  }),
  thread('pausing', 'Falling asleep', { state: 'pausing', agoMs: 1000 }),
  thread('waking', 'Waking up', { state: 'waking', agoMs: 1000 }),
  thread('waiting', 'Waiting for room', {
    sandbox: { state: 'paused', since: now - hour, detail: null, limits, waiting: { position: 1, places: 12 } },
  }),
  thread('live', 'Install and plot', { isTurnRunning: true, agoMs: 1000 }),
  thread('failed', 'Quarterly numbers', { agoMs: 2 * hour }),
  thread('page', 'Cart page', { agoMs: 2.4 * hour }),
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
