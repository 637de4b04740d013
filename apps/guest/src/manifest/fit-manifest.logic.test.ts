import type { Manifest, ManifestProcess } from '@threadbox/protocol/guest'
import { manifestSchema } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { fitted } from './fit-manifest.logic.ts'

const mebibyte = 1024 * 1024
const empty: Manifest = {
  version: 1,
  takenAt: 1,
  processes: [],
  ports: [],
  connections: [],
  kernels: [],
  shell: { cwd: '/home/user', environment: {}, functions: [], parts: {} },
  packages: { python: {}, apt: {}, npm: {} },
  writtenFiles: [],
  deletedOpenFiles: [],
  memoryFiles: [],
  memoryBytes: 1,
  unread: [],
}
const process = (pid: number, more: Partial<ManifestProcess> = {}): ManifestProcess => ({
  pid,
  startTicks: String(pid),
  startedAt: 1,
  parentPid: 1,
  name: 'sleep',
  executable: '/usr/bin/sleep',
  commandLine: ['sleep', '1000'],
  cwd: '/home/user',
  user: 'user',
  memoryBytes: 1,
  role: 'user',
  service: '',
  ...more,
})
const variable = (name: string) => ({
  context: 'main',
  name,
  type: 'int',
  bytes: 28,
  fingerprint: `1:${'0'.repeat(64)}`,
  compared: 'content' as const,
  rescue: 'data' as const,
  reason: '',
})
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

test('a manifest that can be sent stays as it is', () => {
  const manifest = { ...empty, processes: [process(1)], kernels: [kernelOf(5000)] }
  expect(fitted(manifest)).toEqual(manifest)
})

test('long command lines are shortened before any process is left out', () => {
  const processes = numbers(1000).map((pid) => process(pid, { commandLine: ['node', '-e', 'x'.repeat(100_000)] }))
  const cut = fitted({ ...empty, processes })
  expect(cut.processes).toHaveLength(1000)
  expect(cut.processes[999]?.commandLine.join('').length).toBe(256)
  expect(cut.unread).toEqual([])
})

test('variables and processes that are too many are counted, and every part says how many are missing', () => {
  const deletedOpenFiles = numbers(30_000).map((pid) => ({ pid, path: `/tmp/${pid}`, bytes: 2 ** 63 - 1 }))
  const manifest = { ...empty, processes: numbers(60_000).map((pid) => process(pid)), kernels: [kernelOf(90_000, 7)] }
  const cut = fitted({ ...manifest, deletedOpenFiles })
  const kept = { processes: cut.processes.length, variables: cut.kernels[0]?.variables.length ?? 0 }
  expect(cut.processesLeftOut).toBe(60_000 - kept.processes)
  expect(cut.kernels[0]?.variablesLeftOut).toBe(90_000 - kept.variables + 7)
  expect(cut.unread).toEqual([
    { part: 'processes', leftOut: 60_000 - kept.processes, reason: 'too-many', detail: '' },
    { part: 'variables', context: 'main', leftOut: 90_000 - kept.variables, reason: 'too-many', detail: '' },
    { part: 'open-files', leftOut: 30_000 - cut.deletedOpenFiles.length, reason: 'too-many', detail: '' },
  ])
  expect(JSON.stringify(cut).length).toBeLessThan(3.5 * mebibyte)
  expect(manifestSchema.parse(JSON.parse(JSON.stringify(cut)))).toEqual(cut)
})

test('names of any length leave a manifest that is sent', () => {
  const huge = 'x'.repeat(mebibyte)
  const functions = numbers(5).map((index) => `${index}${huge}`)
  const cut = fitted({ ...empty, shell: { ...empty.shell, functions } })
  expect(cut.shell.functions).toEqual([])
  expect(cut.unread).toEqual([{ part: 'shell', leftOut: 5, reason: 'too-many', detail: '' }])
})

function kernelOf(count: number, variablesLeftOut?: number): Manifest['kernels'][number] {
  const known = { context: 'main', pid: 7, state: 'idle' as const }
  const variables = numbers(count).map((index) => variable(`variable${index}`))
  return { ...known, variables, ...(variablesLeftOut === undefined ? {} : { variablesLeftOut }) }
}
