import { expect, test } from 'vitest'
import { judge } from './boot-watch.ts'

const record = {
  version: 1,
  bootId: 'b1',
  sandboxId: 's1',
  machineBootId: 'this-start',
  runscPath: '/usr/local/bin/runsc',
  ids: 'shifted',
  phase: 'running',
  process: { pid: 1, startTicks: '1' },
  end: null,
} as const
const usage = { memoryBytes: 0, swappedBytes: 0, memoryPeakBytes: 600 * 2 ** 20, memoryKills: 0, processRefusals: 0 }
const facts = {
  record,
  observation: { watched: true, exit: undefined },
  usage,
  machineBootId: 'this-start',
  lastOutput: '',
}

test('a boot that was ordered to stop counts as stopped, regardless of other observations', () => {
  const stopping = { ...record, phase: 'stopping' } as const
  expect(judge({ ...facts, record: stopping, usage: { ...usage, memoryKills: 1 } }).cause).toBe('stopped')
})

test('a boot of an earlier start of the host ended with it', () => {
  expect(judge({ ...facts, machineBootId: 'later-start' }).cause).toBe('machine-restarted')
})

test('a memory kill by the kernel is distinguished from other kills, with the peak usage', () => {
  const end = judge({ ...facts, usage: { ...usage, memoryKills: 1 } })
  expect(end.cause).toBe('memory-backstop')
  expect(end.detail).toContain('600 MiB')
})

test('an exit that the sandbox’s own kernel reported happened inside, also after an earlier memory kill', () => {
  const exited = { ...facts, observation: { watched: true, exit: { exitCode: 3 } }, lastOutput: 'out of ideas' }
  const end = judge({ ...exited, usage: { ...usage, memoryKills: 1, processRefusals: 7 } })
  expect(end.cause).toBe('killed-inside')
  expect(end.detail).toMatch(/exited with code 3.*out of ideas.*7 new processes/)
})

test('a kernel that ended without a report was killed on the host if a driver was watching; otherwise the cause is unknown', () => {
  expect(judge(facts).cause).toBe('killed-outside')
  expect(judge({ ...facts, observation: { watched: false, exit: undefined } }).cause).toBe('unknown')
})
