import type { Manifest, ManifestProcess, ManifestVariable } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import type { Sandbox } from '../state/sandbox.models.ts'
import { manifestToKeep, nothingRuns, readManifest, type WhatRunsDependencies, whatRuns } from './what-runs.ts'

const row = (state: Sandbox['state']) => ({ id: 's1', state, boot_id: 'b1' }) as Sandbox
const known = (parts: { glance?: () => Promise<Manifest>; manifestJson?: string | null }): WhatRunsDependencies => ({
  guest: { glance: parts.glance ?? (() => Promise.reject(new Error('nobody is there'))) },
  hashKeyOf: () => 'ab',
  memoryOf: async (id) => ({ sandbox_id: id, manifest_json: parts.manifestJson ?? null, rescue_json: null }),
})
const look = (state: Sandbox['state'], parts: Parameters<typeof known>[0] = {}) =>
  whatRuns(known(parts), row(state), AbortSignal.timeout(1000))

test('of a guest that is silent, of a moment in between and of a pause without a word nobody can say what runs', async () => {
  expect(await look('active')).toBeNull()
  for (const state of ['starting', 'pausing', 'waking', 'paused'] as const) expect(await look(state), state).toBeNull()
  expect(await look('paused', { manifestJson: 'no json' })).toBeNull()
})

test('what is awake says it itself, what sleeps with its memory said it at its pause, and in what is cold nothing runs', async () => {
  const told: Manifest = { ...nothingRuns, memoryBytes: 7 }
  expect(await look('active', { glance: async () => told })).toEqual(told)
  expect(await look('paused', { manifestJson: JSON.stringify(told) })).toEqual(told)
  for (const state of ['fresh', 'cold', 'error'] as const) expect(await look(state), state).toEqual(nothingRuns)
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

test('more than is kept with an answer is named as left out, and what is still too much is not kept', () => {
  const many = Array.from({ length: 301 }, (_, index) => process(index, ['sleep', String(index)]))
  const kept = readManifest(manifestToKeep({ ...nothingRuns, processes: many }))
  expect(kept?.processes).toHaveLength(300)
  expect(kept?.unread).toEqual([{ part: 'processes', leftOut: 1, reason: 'too-many', detail: '' }])
  expect(kept?.processesLeftOut).toBe(1)
  const variables = Array.from({ length: 1200 }, (_, index) => variable(`v${index}`))
  const kernel = { context: 'main', pid: 9, state: 'idle' as const, variables, variablesLeftOut: 3800 }
  const [held] = readManifest(manifestToKeep({ ...nothingRuns, kernels: [kernel] }))?.kernels ?? []
  expect([held?.variables.length, held?.variablesLeftOut]).toEqual([1000, 4000])
  const environment = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`NAME_${index}`, 'f'.repeat(32)]))
  expect(manifestToKeep({ ...nothingRuns, shell: { ...nothingRuns.shell, environment } })).toBeNull()
})

test('of a long command line its beginning is kept, the same each time', () => {
  const keep = () =>
    readManifest(manifestToKeep({ ...nothingRuns, processes: [process(1, ['a', 'b'.repeat(9000), 'c'])] }))
  expect(keep()?.processes[0]?.commandLine.join(' ').length).toBeLessThan(510)
  expect(keep()).toEqual(keep())
})

test('of what another version wrote down in another form, nothing is known', () => {
  expect(readManifest(JSON.stringify({ ...nothingRuns, processes: 'many' }))).toBeNull()
  expect(readManifest(JSON.stringify(nothingRuns))).toEqual(nothingRuns)
})
