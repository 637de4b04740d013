import type { Manifest, ManifestProcess } from '@threadbox/protocol/guest'
import { emptyManifest } from '@threadbox/testkit/host-stand-in'
import { describe, expect, test } from 'vitest'
import { processItems } from './survival-items.logic.ts'

const takenAt = 100_000
const process = (pid: number, command: string, more: Partial<ManifestProcess> = {}): ManifestProcess => ({
  pid,
  startTicks: `${pid}00`,
  startedAt: 0,
  parentPid: 1,
  name: command,
  executable: '',
  commandLine: command.split(' '),
  cwd: '/home/user',
  user: 'user',
  memoryBytes: 1,
  role: 'user',
  service: '',
  ...more,
})
const manifest = (...processes: ManifestProcess[]): Manifest => ({ ...emptyManifest(), takenAt, processes })
const outcomes = (before: Manifest, after: Manifest) =>
  processItems({ before, after }).map(({ outcome, name }) => `${outcome} ${name}`)

describe('a process that is gone after a wake', () => {
  const loop = process(10, 'bash')
  const young = { startedAt: takenAt - 900 }
  const sleep = process(11, 'sleep 1', { parentPid: 10, ...young })

  test('is a part of its parent if it was young and the parent was kept, whatever the parent runs now', () => {
    for (const now of [
      [process(12, 'sleep 1', { parentPid: 10 })],
      [process(12, 'curl -s x', { parentPid: 10 })],
      [],
    ]) {
      expect(outcomes(manifest(loop, sleep), manifest(loop, ...now))).toEqual(['kept bash'])
    }
  })

  test('is listed if its parent was not kept', () => {
    expect(outcomes(manifest(loop, sleep), manifest())).toEqual(['lost bash', 'lost sleep 1'])
  })

  test('is listed if it had run for longer than one round of a loop', () => {
    const old = process(11, 'server', { parentPid: 10, startedAt: takenAt - 11_000 })
    expect(outcomes(manifest(loop, old), manifest(loop))).toEqual(['kept bash', 'lost server'])
  })

  test.each(['shell', 'terminal', 'kernel'] as const)('is listed if its parent is a %s', (role) => {
    const parent = process(10, 'bash', { role })
    const server = process(11, 'server', { parentPid: 10, ...young })
    expect(outcomes(manifest(parent, server), manifest(parent))).toContain('lost server')
  })
})
