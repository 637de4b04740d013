import type { Backup, Backups, Machine, MachineHistory, MachineSandbox } from '@threadbox/protocol/public'
import { now } from './example-data.ts'
import { quotaRequests } from './example-people.ts'

const GiB = 1024 ** 3
const day = 86_400_000
const slot = 300_000

const sandbox = (values: Partial<MachineSandbox> & Pick<MachineSandbox, 'sandboxId' | 'userId'>): MachineSandbox => ({
  state: 'active',
  since: now - day / 12,
  why: [],
  waiting: null,
  memoryBytes: null,
  diskBytes: GiB / 2,
  ...values,
})

export const machine: Machine = {
  at: now,
  host: {
    memory: {
      totalBytes: 24 * GiB,
      availableBytes: Math.round(9.5 * GiB),
      sandboxesBytes: Math.round(6.2 * GiB),
      frozenBytes: Math.round(2.1 * GiB),
      sparesBytes: Math.round(0.3 * GiB),
      roomForBoots: 41,
    },
    disk: {
      totalBytes: 200 * GiB,
      usedBytes: 96 * GiB,
      disksBytes: 71 * GiB,
      snapshotsBytes: 12 * GiB,
      memoryImagesBytes: 9 * GiB,
      imagesBytes: 7 * GiB,
      tablesBytes: 2 * GiB,
    },
    processor: { count: 8, busySeconds: 41_000, sandboxSeconds: 22_000 },
    network: { receivedBytes: 41_000_000_000, sentBytes: 3_000_000_000 },
  },
  growth: { bytesPerDay: Math.round(2.4 * GiB), fullAt: now + 43 * day },
  sandboxes: [
    sandbox({
      sandboxId: 's1',
      userId: 'u3',
      why: ['turn', 'cpu'],
      memoryBytes: Math.round(3.1 * GiB),
      diskBytes: Math.round(8.2 * GiB),
    }),
    sandbox({ sandboxId: 's2', userId: 'u2', why: ['hold'], memoryBytes: Math.round(1.4 * GiB), diskBytes: 2 * GiB }),
    sandbox({ sandboxId: 's3', userId: 'u3', state: 'paused', waiting: { position: 1, reason: 'limit' } }),
    sandbox({ sandboxId: 's4', userId: 'u4', state: 'cold', diskBytes: 12 * GiB }),
  ],
  nearLimits: [
    {
      userId: 'u3',
      quota: 'modelMicroUsdPerMonth',
      used: 41_370_000,
      limit: 50_000_000,
      resetsAt: Date.UTC(2026, 3, 1),
    },
  ],
  requests: quotaRequests,
  spend: {
    from: '2026-03-01',
    to: '2026-03-04',
    costMicroUsd: 83_120_000,
    models: [
      { modelId: 'm1', name: 'Sonnet', costMicroUsd: 71_010_000, requests: 412 },
      { modelId: 'm2', name: 'gpt-4.1', costMicroUsd: 12_110_000, requests: 95 },
    ],
  },
  versions: {
    release: '1.4.0',
    driver: 'runsc release-20261110.0',
    guests: [{ name: 'guest-8f14e45fceea167a', boots: 3 }],
  },
  checks: [
    {
      id: 'host-reachable',
      status: 'ok',
      title: 'Sandbox service',
      detail: 'Responding.',
      cure: null,
      code: 'host-reachable-fine',
      values: {},
    },
  ],
  errors: [{ code: 'host.unreachable', count: 2, lastAt: now - day / 8 }],
}

const points = Array.from({ length: 288 }, (_, index) => {
  const wave = Math.sin(index / 24)
  return {
    at: now - day + index * slot,
    memoryUsedBytes: Math.round((12 + 3 * wave) * GiB),
    sandboxesBytes: Math.round((5 + 2 * wave) * GiB),
    diskUsedBytes: Math.round((94 + index / 144) * GiB),
    cpuShare: 0.3 + 0.2 * wave,
    receivedPerSecond: 900_000 + 700_000 * wave,
    sentPerSecond: 90_000 + 70_000 * wave,
    awake: Math.round(6 + 3 * wave),
    waiting: 0,
  }
})
export const history: MachineHistory = {
  from: now - day,
  to: now,
  stepMs: slot,
  memoryTotalBytes: 24 * GiB,
  diskTotalBytes: 200 * GiB,
  points,
}

const leftOut = [{ what: 'the memory of sandboxes', reason: 'only files are backed up' }]
const backup = (days: number): Backup => ({
  name: `example-${days}`,
  at: now - days * day - day / 3,
  sizeBytes: Math.round((38 - days / 4) * GiB),
  verifiedAt: now - day / 4,
  problems: [],
  leftOut,
})
export const backups: Backups = {
  state: 'ready',
  place: 's3+https://s3.example.com/backups/threadbox?region=eu-central-1',
  backups: [0, 1, 2].map(backup),
  succeededAt: now - day / 3,
  verifiedAt: now - day / 4,
  nextAt: now + (2 * day) / 3,
  running: null,
  failure: null,
  attention: null,
}
