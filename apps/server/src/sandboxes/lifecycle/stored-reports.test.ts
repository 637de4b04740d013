import { type Manifest, manifestSchema } from '@threadbox/protocol/guest'
import { survivalReportSchema } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { type LifecycleBench, makeLifecycleBench } from './lifecycle.test-utils.ts'

/**
 * Rows of releases that did not separate threadbox’s own processes from people’s. They are stored forever, so they stay
 * readable.
 */
let bench: LifecycleBench

const process = (pid: number, role: string, commandLine: string[]) => ({
  pid,
  startTicks: `${pid}00`,
  startedAt: 1,
  parentPid: 1,
  name: commandLine[0] ?? '',
  commandLine,
  executable: `/usr/bin/${commandLine[0]}`,
  cwd: '/home/user',
  user: 'user',
  memoryBytes: 1,
  role,
})
/**
 * Without `writtenFiles`, with everything of threadbox’s own that such a guest listed, and with texts for what it did
 * not read.
 */
const oldManifest = {
  version: 1,
  takenAt: 1,
  processes: [process(10, 'user', ['python', 'server.py']), process(12, 'shell', ['bash', '/dev/.threadbox/shell'])],
  ports: [{ protocol: 'tcp', address: '0.0.0.0', port: 8000, pid: 10 }],
  connections: [
    {
      kind: 'unix',
      scope: 'inside',
      local: '/dev/.threadbox/kernels/a/shell',
      remote: '',
      state: 'established',
      pid: 10,
    },
  ],
  kernels: [],
  shell: {
    cwd: '/home/user',
    environment: { PATH: 'p', TOKEN: 't', THREADBOX_KEY: 'k', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: '0' },
    functions: [],
    parts: {},
  },
  packages: { python: {}, apt: {}, npm: {} },
  deletedOpenFiles: [{ pid: 10, path: '/var/lib/threadbox/output/1', bytes: 5 }],
  memoryFiles: [],
  memoryBytes: 1024,
  unread: [{ what: '2 more variables of main', reason: 'there are too many' }],
}
const item = (kind: string, name: string, outcome: string, more: { reason?: string; detail?: string } = {}) => ({
  kind,
  name,
  outcome,
  reason: more.reason ?? '',
  detail: more.detail ?? '',
  restartId: null,
})
const oldItems = [
  item('process', 'shell of a command', 'lost', { reason: 'It does not run any more.', detail: 'pid 12' }),
  item('file', '/home/user/.threadbox/outputs/1.txt', 'unchecked', { reason: 'It was written to after the pause.' }),
  item('process', 'python server.py', 'kept', { detail: 'pid 10' }),
]
const count = { kept: 0, rescued: 0, restarted: 0, lost: 0, unchecked: 0 }
const oldCounts = { process: { ...count, kept: 1, lost: 1 }, file: { ...count, unchecked: 1 } }
const all = <Item extends { kind: string; name: string }>(items: readonly Item[]) =>
  items.map(({ kind, name }) => `${kind} ${name}`)

/** Rewrites the stored report of a wake as the older release left it. */
async function store(columns: { json?: object; before?: object; status: string }): Promise<void> {
  const { json, before, status } = columns
  await tablesIn(bench.server.open)
    .updateTable('survival_reports')
    .set({
      status,
      ...(json === undefined ? {} : { json: JSON.stringify(json) }),
      before_json: before === undefined ? null : JSON.stringify(before),
    })
    .execute()
}

onBothDatabases((target) => {
  beforeEach(async () => {
    bench = await makeLifecycleBench(await target())
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  async function woken() {
    await bench.awake()
    await bench.detail('POST', '/pause')

    await bench.awake()
    return await bench.reported()
  }

  test('C6: a report that an older release completed opens as it was written', async () => {
    const report = await woken()
    const { checkedAt } = report
    const old = { ...report, checkedAt, items: oldItems, counts: oldCounts }
    await store({ json: old, status: 'complete' })
    const answer = await bench.call('GET', `/reports/${report.id}`)
    expect(answer.status).toBe(200)
    expect(survivalReportSchema.parse(await answer.json())).toEqual(old)
    expect((await bench.detail()).latestReport).toMatchObject({ id: report.id, items: oldItems, counts: oldCounts })
  })

  test('C6: one that an older release began is completed without what belongs to threadbox', async () => {
    const report = await woken()
    const { processes, shell, ...rest } = manifestSchema.parse(oldManifest)
    const now: Manifest = {
      ...rest,
      processes: processes.filter(({ role }) => role === 'user'),
      shell: { ...shell, environment: { PATH: 'p' } },
      connections: [],
      deletedOpenFiles: [],
    }
    bench.host.manifest = now
    await store({ before: oldManifest, status: 'checking' })
    await bench.server.areas.sandboxes.recoverLifecycle()
    const completed = await vi.waitFor(async () => {
      const answer = await bench.call('GET', `/reports/${report.id}`)
      const read = survivalReportSchema.parse(await answer.json())
      expect(read).toMatchObject({ status: 'complete', counts: { process: { kept: 1 } } })
      return read
    })
    expect(all(completed.items).toSorted()).toEqual(
      [
        'environment PATH',
        'environment TOKEN',
        'file all other files',
        'port tcp 0.0.0.0:8000',
        'process python server.py',
        'shell shell session',
        'variable 2 more variables of main',
      ].toSorted(),
    )
    expect(all(completed.items.filter(({ outcome }) => outcome === 'lost'))).toEqual(['environment TOKEN'])
  })
})
