import type { EntriesPage, Entry, SandboxDetail, SandboxView, SurvivalReport } from '@threadbox/sdk'
import { call, text, turn, user } from './recorded-entries.ts'

const now = Date.now()
const minute = 60_000
const hour = 60 * minute
const GiB = 1024 ** 3
const none = { kept: 0, rescued: 0, restarted: 0, lost: 0, unchecked: 0 }

type Item = SurvivalReport['items'][number]
const item = (kind: Item['kind'], outcome: Item['outcome'], name: string, values: Partial<Item> = {}): Item => ({
  kind,
  outcome,
  name,
  reason: '',
  detail: '',
  restartId: null,
  ...values,
})

const hot: SurvivalReport = {
  id: 'hot',
  threadId: 'asleep',
  from: 'frozen',
  cause: null,
  pausedAt: now - 15 * hour,
  wokenAt: now - 40 * minute,
  wakeMs: 390,
  status: 'complete',
  checkedAt: null,
  counts: {
    process: { ...none, kept: 3 },
    service: { ...none, kept: 2 },
    variable: { ...none, kept: 41 },
    port: { ...none, kept: 2 },
    connection: { ...none, kept: 4, unchecked: 1 },
  },
  items: [
    item('connection', 'unchecked', 'tcp 10.0.3.2:41822 → 192.0.2.10:443', {
      reason: 'The other end is outside this sandbox and was not asked.',
    }),
    ...['python training.py --epochs 20', 'streamlit run app.py', 'uvicorn api:app --port 8000'].map((name, index) =>
      item('process', 'kept', name, { detail: `pid ${388 + index}` }),
    ),
    item('service', 'kept', 'dashboard'),
    item('service', 'kept', 'api'),
    ...Array.from({ length: 41 }, (_, index) => item('variable', 'kept', `variable_${index}`, { detail: 'DataFrame' })),
  ],
}

const cold: SurvivalReport = {
  id: 'cold',
  threadId: 'asleep',
  from: 'disk',
  cause: { code: 'memory-given-up', detail: '' },
  pausedAt: now - 50 * hour,
  wokenAt: now - 20 * minute,
  wakeMs: 620,
  status: 'complete',
  checkedAt: null,
  counts: {
    process: { ...none, lost: 1 },
    service: { ...none, restarted: 1 },
    variable: { ...none, rescued: 38, lost: 2 },
    environment: { ...none, kept: 6 },
    package: { ...none, kept: 42 },
    file: { ...none, kept: 1214 },
    connection: { ...none, unchecked: 1 },
  },
  items: [
    item('process', 'lost', 'python training.py --epochs 20 --checkpoint-every 2', {
      reason: 'The process ended when memory was given up.',
      detail: 'pid 412',
      restartId: 'p1',
    }),
    item('variable', 'lost', 'conn', {
      reason: 'An open database handle lives in memory and cannot be written to disk.',
      detail: 'sqlite3.Connection',
    }),
    item('variable', 'lost', 'rows', {
      reason: 'A generator that is part-way through cannot be saved.',
      detail: 'generator',
    }),
    item('connection', 'unchecked', 'tcp 192.0.2.10:443', { reason: 'The other end was not asked.' }),
    item('service', 'restarted', 'dashboard', { reason: 'Started again with the same command.', detail: 'port 8501' }),
    ...['trips', 'hourly', 'stations', ...Array.from({ length: 35 }, (_, index) => `model_${index}`)].map((name) =>
      item('variable', 'rescued', name, { detail: 'pandas.DataFrame' }),
    ),
    ...Array.from({ length: 6 }, (_, index) => item('environment', 'kept', `DATA_DIR_${index}`)),
    ...Array.from({ length: 400 }, (_, index) => item('file', 'kept', `/home/user/data/part-${index}.parquet`)),
  ],
}

const notice = (id: string, code: string, params: Record<string, string | number>, at: number): Entry =>
  ({ id, turnId: '', at, kind: 'notice', code, params }) as Entry
const wake = (id: string, report: SurvivalReport): Entry => ({
  id,
  turnId: '',
  at: report.wokenAt,
  kind: 'wake',
  report,
})

export const lifecyclePages: Record<string, EntriesPage> = {
  asleep: {
    lastSeq: 5,
    before: null,
    turns: [turn('s1'), turn('s2'), turn('s3')],
    entries: [
      user('s-a', 's1', 'Train it for twenty epochs. I close the tab now.'),
      call('s-b', 's1', { input: { command: 'python training.py --epochs 20 --checkpoint-every 2 &' } }),
      text('s-c', 's1', 'Started. Each epoch takes about 11 minutes. You can close the tab.'),
      notice('s-d', 'sandbox-paused', { cause: 'idle', minutes: 30 }, now - 15 * hour),
      user('s-e', 's2', 'Where is the training run?'),
      wake('s-f', hot),
      text('s-g', 's2', 'Still the same process; its last line says validation error 39.4.'),
      notice('s-h', 'sandbox-paused', { cause: 'person' }, now - 50 * hour),
      user('s-i', 's3', 'And today?'),
      wake('s-j', cold),
      text(
        's-k',
        's3',
        'Memory was given up meanwhile. Your data frames are back; the training was not running any more.',
      ),
    ],
  },
  notices: {
    lastSeq: 5,
    before: null,
    turns: [turn('n1')],
    entries: [
      user('n-a', 'n1', '/status'),
      notice(
        'n-b',
        'sandbox-status',
        {
          state: 'active',
          since: now - 3 * hour,
          memoryBytes: 1.4 * GiB,
          diskBytes: 3.1 * GiB,
          processes: 7,
          ports: '8501, 8000',
          pauseAt: now + 28 * minute,
        },
        now - 5 * minute,
      ),
      notice('n-c', 'sandbox-waiting', { position: 1, places: 12 }, now - 4 * minute),
      notice(
        'n-d',
        'awake-limit-near',
        { pauseAt: now + hour, hours: 24, process: 'python training.py' },
        now - 3 * minute,
      ),
      notice('n-e', 'retention-near', { removedAt: now + 7 * 24 * hour }, now - 2 * minute),
      notice(
        'n-f',
        'disk-nearly-full',
        {
          usedBytes: 9.4 * GiB,
          limitBytes: 10 * GiB,
          folders: JSON.stringify([
            { path: '/home/user/data/raw', bytes: 5.2 * GiB },
            { path: '/home/user/.cache/uv', bytes: 2.1 * GiB },
            { path: '/home/user/models', bytes: 0.8 * GiB },
          ]),
        },
        now - minute,
      ),
      wake('n-g', { ...hot, id: 'checking', from: 'disk', status: 'checking', counts: {}, items: [], cause: null }),
    ],
  },
}

const log: SandboxDetail['log'] = [
  { id: '1', at: now - 20 * minute, code: 'woken.disk', params: { durationMs: 620 }, reportId: 'cold' },
  {
    id: '2',
    at: now - 30 * hour,
    code: 'demoted',
    params: { variables: 38, processes: 2, durationMs: 900 },
    reportId: null,
  },
  { id: '3', at: now - 50 * hour, code: 'paused.person', params: { durationMs: 480 }, reportId: null },
  { id: '4', at: now - 52 * hour, code: 'limits-changed', params: {}, reportId: null },
  { id: '5', at: now - 53 * hour, code: 'woken.frozen', params: { durationMs: 40 }, reportId: 'hot' },
  { id: '6', at: now - 70 * hour, code: 'paused.idle', params: { minutes: 30, durationMs: 510 }, reportId: null },
  { id: '7', at: now - 72 * hour, code: 'held', params: { until: now - 71 * hour }, reportId: null },
  { id: '8', at: now - 74 * hour, code: 'pause-failed', params: { message: 'the disk was full' }, reportId: null },
  { id: '9', at: now - 80 * hour, code: 'started', params: { durationMs: 240 }, reportId: null },
]

/** The sandbox detail that the panel gets for a state. */
export function detailOf(sandbox: SandboxView): SandboxDetail {
  const isAwake = sandbox.state === 'active'
  const isFresh = sandbox.state === 'fresh'
  return {
    sandbox,
    policy: {
      idlePauseMinutes: 30,
      hotHours: 24,
      hotKeep: 'guaranteed',
      maxAwakeHours: 24,
      retentionDays: null,
      maxServices: 10,
    },
    ownPolicy: ['hotHours'],
    workspacePolicy: [],
    ownLimits: [],
    workspaceLimits: [],
    usage: isFresh
      ? null
      : {
          memoryBytes: isAwake ? 1.4 * GiB : null,
          diskBytes: 3.1 * GiB,
          memoryImageBytes: sandbox.state === 'paused' ? 0.6 * GiB : null,
        },
    processes: isAwake
      ? [
          { pid: 412, commandLine: 'python training.py --epochs 20', memoryBytes: 0.9 * GiB, role: 'user' },
          { pid: 388, commandLine: 'streamlit run app.py', memoryBytes: 212 * 1024 ** 2, role: 'service' },
          { pid: 97, commandLine: 'python3 -m kernel', memoryBytes: 884 * 1024 ** 2, role: 'kernel' },
        ]
      : null,
    ports: isAwake ? [8000, 8501] : null,
    latestReport: isFresh ? null : cold,
    log: isFresh ? [] : log,
  }
}

export const reports: Record<string, SurvivalReport> = { hot, cold }
