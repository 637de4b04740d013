import type { Manifest, ManifestProcess, ManifestVariable } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import type { Sandbox } from '../state/sandbox.logic.ts'
import {
  nothingRuns,
  type RunningStateDependencies,
  readManifest,
  readRunningState,
  storableManifest,
} from './running-state.ts'

const row = (state: Sandbox['state']) => ({ id: 's1', state, boot_id: 'b1' }) as Sandbox
const known = (parts: {
  quickManifest?: () => Promise<Manifest>
  manifestJson?: string | null
}): RunningStateDependencies => ({
  guest: { quickManifest: parts.quickManifest ?? (() => Promise.reject(new Error('no guest'))) },
  hashKeyOf: () => 'ab',
  memoryOf: async (id) => ({ sandbox_id: id, manifest_json: parts.manifestJson ?? null, rescue_json: null }),
})
const read = (state: Sandbox['state'], parts: Parameters<typeof known>[0] = {}) =>
  readRunningState(known(parts), row(state), AbortSignal.timeout(1000))

test('what runs is unknown for a silent guest, in a transitional state and after a pause without a manifest', async () => {
  expect(await read('active')).toBeNull()
  for (const state of ['starting', 'pausing', 'waking', 'paused'] as const) expect(await read(state), state).toBeNull()
  expect(await read('paused', { manifestJson: 'no json' })).toBeNull()
})

test('an awake sandbox reports what runs, a paused one has its last manifest, and in a cold one nothing runs', async () => {
  const running: Manifest = { ...nothingRuns, memoryBytes: 7 }
  expect(await read('active', { quickManifest: async () => running })).toEqual(running)
  expect(await read('paused', { manifestJson: JSON.stringify(running) })).toEqual(running)
  for (const state of ['fresh', 'cold', 'error'] as const) expect(await read(state), state).toEqual(nothingRuns)
})

const process = (pid: number, commandLine: string[]): ManifestProcess => ({
  pid,
  startTicks: '1',
  startedAt: 1,
  parentPid: 0,
  name: 'x',
  executable: '',
  cwd: '/',
  user: 'user',
  commandLine,
  memoryBytes: 1,
  role: 'user',
  service: '',
})

const variable = (name: string): ManifestVariable => ({
  context: 'main',
  name,
  type: 'int',
  bytes: 28,
  fingerprint: null,
  compared: 'identity',
  rescue: 'data',
  reason: '',
})

test('what exceeds the limits is counted as left out, and a manifest that is still too large is not stored', () => {
  const many = Array.from({ length: 301 }, (_, index) => process(index, ['sleep', String(index)]))
  const kept = readManifest(storableManifest({ ...nothingRuns, processes: many }))
  expect(kept?.processes).toHaveLength(300)
  expect(kept?.unread).toEqual([{ part: 'processes', leftOut: 1, reason: 'too-many', detail: '' }])
  expect(kept?.processesLeftOut).toBe(1)
  const variables = Array.from({ length: 1200 }, (_, index) => variable(`v${index}`))
  const kernel = { context: 'main', pid: 9, state: 'idle' as const, variables, variablesLeftOut: 3800 }
  const [held] = readManifest(storableManifest({ ...nothingRuns, kernels: [kernel] }))?.kernels ?? []
  expect([held?.variables.length, held?.variablesLeftOut]).toEqual([1000, 4000])
  const environment = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`NAME_${index}`, 'f'.repeat(32)]))
  expect(storableManifest({ ...nothingRuns, shell: { ...nothingRuns.shell, environment } })).toBeNull()
})

test('the beginning of a long command line is kept, the same each time', () => {
  const keep = () =>
    readManifest(storableManifest({ ...nothingRuns, processes: [process(1, ['a', 'b'.repeat(9000), 'c'])] }))
  expect(keep()?.processes[0]?.commandLine.join(' ').length).toBeLessThan(510)
  expect(keep()).toEqual(keep())
})

test('a manifest stored in another format by another version is unknown', () => {
  expect(readManifest(JSON.stringify({ ...nothingRuns, processes: 'many' }))).toBeNull()
  expect(readManifest(JSON.stringify(nothingRuns))).toEqual(nothingRuns)
})
