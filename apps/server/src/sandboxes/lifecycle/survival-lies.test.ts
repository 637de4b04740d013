import type { Manifest } from '@threadbox/protocol/guest'
import { emptyFileChanges, emptyManifest } from '@threadbox/testkit/host-stand-in'
import { expect, test } from 'vitest'
import { compareSurvival } from './survival-report.logic.ts'

const server: Manifest['processes'][number] = {
  pid: 10,
  startTicks: '1000',
  startedAt: 1,
  parentPid: 1,
  name: 'python',
  commandLine: ['python', 'server.py'],
  executable: '/usr/bin/python',
  cwd: '/home/user',
  user: 'user',
  memoryBytes: 1,
  role: 'user',
  service: '',
}
const earlier: Manifest = {
  ...emptyManifest(),
  processes: [server],
  ports: [{ protocol: 'tcp', address: '127.0.0.1', port: 8000, pid: 10 }],
  writtenFiles: [{ pid: 10, path: '/home/user/log' }],
}

test('C6: a guest that repeats its earlier manifest after a cold start has kept nothing that was in memory', () => {
  const items = compareSurvival({
    facts: { from: 'disk', cause: null },
    before: earlier,
    after: earlier,
    afterProblem: null,
    files: { ...emptyFileChanges, changed: ['home/user/log'], changedCount: 1 },
    rescued: null,
    replayed: null,
    services: [],
  })
  const outcomesOf = (kind: string) => items.filter((item) => item.kind === kind).map(({ outcome }) => outcome)
  expect(outcomesOf('process')).toEqual(['restarted'])
  expect(outcomesOf('port')).toEqual(['restarted'])
  expect(items.find(({ name }) => name === '/home/user/log')).toMatchObject({ outcome: 'unchecked' })
})
