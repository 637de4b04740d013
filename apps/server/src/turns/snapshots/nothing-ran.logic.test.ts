import type { Manifest, ManifestVariable } from '@threadbox/protocol/guest'
import { emptyManifest } from '@threadbox/testkit/host-stand-in'
import { expect, test } from 'vitest'
import { nothingRan } from './nothing-ran.logic.ts'

const idle = (): Manifest => ({ ...emptyManifest(), runsInProgress: 0 })
const kernel: Manifest['kernels'][number] = { context: 'main', pid: 7, state: 'idle', variables: [], isUsed: false }
const variable: ManifestVariable = {
  context: 'main',
  name: 'x',
  type: 'int',
  bytes: 28,
  fingerprint: null,
  compared: 'content',
  rescue: 'data',
  reason: '',
}
const processOf = (role: Manifest['processes'][number]['role']): Manifest['processes'][number] => ({
  pid: 9,
  startTicks: '1',
  startedAt: 1,
  parentPid: 1,
  name: 'bash',
  executable: '',
  commandLine: ['bash'],
  cwd: '/',
  user: 'user',
  memoryBytes: 1,
  role,
  service: '',
})

test('C9: waiting shells and a kernel in which no cell ran are nothing of the user’s', () => {
  expect(nothingRan(idle())).toBe(true)
  expect(nothingRan({ ...idle(), processes: [processOf('shell'), processOf('kernel')], kernels: [kernel] })).toBe(true)
  expect(nothingRan({ ...idle(), unread: [{ part: 'packages', reason: 'glance', detail: '' }] })).toBe(true)
})

const something: Record<string, Partial<Manifest>> = {
  'a process': { processes: [processOf('user')] },
  'a service': { processes: [processOf('service')] },
  'a terminal': { processes: [processOf('terminal')] },
  'more processes than are described': { processesLeftOut: 1 },
  'a command in progress': { runsInProgress: 1 },
  'a kernel with a variable': { kernels: [{ ...kernel, variables: [variable] }] },
  'a kernel in which a cell ran': { kernels: [{ ...kernel, isUsed: true }] },
  'a kernel that is busy': { kernels: [{ ...kernel, state: 'busy' }] },
  'a kernel that does not answer': { kernels: [{ ...kernel, state: 'not-answering' }] },
  'a file in memory': { memoryFiles: [{ path: '/dev/shm/x', bytes: 1, changedAt: 1 }] },
  'a deleted open file': { deletedOpenFiles: [{ pid: 9, path: '/tmp/x', bytes: 1 }] },
  'a part that was not read': { unread: [{ part: 'processes', reason: 'failed', detail: '' }] },
}
test.each(Object.entries(something))('C9: %s counts as running', (_what, part) => {
  expect(nothingRan({ ...idle(), ...part })).toBe(false)
})

test('an older guest, which does not say what runs, counts as running', () => {
  const { runsInProgress: _, ...older } = idle()
  expect(nothingRan(older)).toBe(false)
  const { isUsed: __, ...olderKernel } = kernel
  expect(nothingRan({ ...idle(), kernels: [olderKernel] })).toBe(false)
})
