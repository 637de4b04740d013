import type { Manifest, ManifestProcess, ManifestVariable } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { nothingRuns } from '../../sandboxes/lifecycle/running-state.ts'
import { compareRunning } from './running-comparison.logic.ts'

function process(pid: number, command: string, more: Partial<ManifestProcess> = {}): ManifestProcess {
  return {
    pid,
    startTicks: `${pid}0`,
    startedAt: 1,
    parentPid: 0,
    name: command,
    executable: '',
    cwd: '/',
    user: 'user',
    commandLine: command.split(' '),
    memoryBytes: 1,
    role: 'user',
    service: '',
    ...more,
  }
}

function variable(name: string, fingerprint: string, more: Partial<ManifestVariable> = {}): ManifestVariable {
  return {
    context: 'main',
    name,
    type: 'int',
    bytes: 28,
    fingerprint,
    compared: 'content',
    rescue: 'data',
    reason: '',
    ...more,
  }
}

function manifest(
  processes: ManifestProcess[],
  variables: ManifestVariable[] = [],
  more: Partial<Manifest> = {},
): Manifest {
  return { ...nothingRuns, processes, kernels: [{ context: 'main', pid: 9, state: 'idle', variables }], ...more }
}

const changesOf = (known: Parameters<typeof compareRunning>[0]) => {
  const { processes, variables } = compareRunning(known)
  return [...processes, ...variables].map(({ name, change }) => `${change} ${name}`)
}

test('when it is unknown what runs now or was running at the target, the comparison says so', () => {
  const now = manifest([process(1, 'sleep 9')], [variable('x', '1:a')])
  expect(compareRunning({ now: null, earlier: null, bringsMemory: true })).toMatchObject({
    knowsNow: false,
    knowsThen: false,
    knowsVariables: false,
    processes: [],
    variables: [],
  })
  const known = compareRunning({ now, earlier: null, bringsMemory: true })
  expect(known).toMatchObject({ knowsNow: true, knowsThen: false, unclearVariables: 1, variables: [] })
  expect(known.processes).toEqual([{ name: 'sleep 9', kind: 'process', change: 'unclear' }])
  expect(changesOf({ now: null, earlier: now, bringsMemory: true })).toEqual(['restored sleep 9', 'restored x'])
})

test('variables and processes are unclear after an incomplete manifest', () => {
  const now = manifest([], [variable('x', '1:a')])
  const part = { part: 'variables', context: 'main', detail: '' } as const
  for (const unread of [
    { ...part, reason: 'not-answering' as const },
    { ...part, reason: 'too-many' as const, leftOut: 7 },
  ]) {
    const earlier = manifest([], [], { unread: [unread] })
    expect(compareRunning({ now, earlier, bringsMemory: true })).toMatchObject({
      knowsVariables: false,
      unclearVariables: 1,
      variables: [],
    })
  }
  const cut = manifest([], [], {
    unread: [{ part: 'processes', leftOut: 7, reason: 'too-many', detail: '' }],
  })
  const running = manifest([process(1, 'sleep 9')])
  expect(changesOf({ now: running, earlier: cut, bringsMemory: true })).toEqual(['unclear sleep 9'])
  const files = manifest([], [], {
    unread: [{ part: 'open-files', pid: 7, reason: 'unreadable', detail: '' }],
  })
  expect(changesOf({ now: running, earlier: files, bringsMemory: true })).toEqual(['removed sleep 9'])
})

test('with memory each process is restored, returns or is removed; a process with the same command and another PID is another one', () => {
  const earlier = manifest([process(1, 'watch'), process(2, 'train'), process(3, 'sleep 9')])
  const now = manifest([process(2, 'train'), process(4, 'sleep 9')])
  expect(changesOf({ now, earlier, bringsMemory: true })).toEqual([
    ...['restored watch', 'restored sleep 9', 'returns train', 'removed sleep 9'],
  ])
})

test('without memory all processes end except services, which restart; earlier processes and variables are lost', () => {
  const web = process(5, 'npm start', { role: 'service', service: 'web' })
  const earlier = manifest([process(1, 'watch'), process(2, 'train')], [variable('x', '1:a'), variable('y', '2:b')])
  const now = manifest([process(2, 'train'), web], [variable('x', '1:a')])
  expect(changesOf({ now, earlier, bringsMemory: false })).toEqual([
    ...['restarted web', 'removed train', 'lost watch'],
    ...['removed x', 'lost y'],
  ])
})

test('the guest’s own processes and child processes are not listed; a service is listed once', () => {
  const now = manifest([
    process(1, 'python3', { role: 'kernel' }),
    process(2, 'bash', { role: 'shell' }),
    process(3, 'npm start', { role: 'service', service: 'web' }),
    process(4, 'node server.js', { role: 'service', service: 'web', parentPid: 3 }),
    process(5, 'node helper.js', { role: 'service', service: 'web' }),
    process(6, 'bash', { role: 'terminal' }),
    process(7, 'vim', { parentPid: 6 }),
  ])
  expect(changesOf({ now, earlier: nothingRuns, bringsMemory: false })).toEqual([
    ...['restarted web', 'removed bash', 'removed vim'],
  ])
})

test('variables are compared by content where it is known, otherwise by type and size, and are unclear if both are equal', () => {
  const identity = { compared: 'identity' as const }
  const earlier = manifest(
    [],
    [
      ...[variable('same', '1:a'), variable('moved', '1:a'), variable('other', '1:a'), variable('typed', '1:a')],
      ...[variable('large', '1:a', { ...identity, bytes: 900 }), variable('grown', '1:a', { ...identity, bytes: 900 })],
      ...[variable('gone', '1:a'), variable('mixed', '1:a', identity)],
    ],
  )
  const now = manifest(
    [],
    [
      ...[variable('same', '1:a'), variable('moved', '2:a'), variable('other', '1:b')],
      ...[variable('typed', '1:a', { type: 'str' }), variable('large', '1:a', { ...identity, bytes: 900 })],
      ...[variable('grown', '1:a', { ...identity, bytes: 901 }), variable('mixed', '1:b'), variable('new', '1:a')],
      variable('there', '1:a', { context: 'second' }),
    ],
  )
  const compared = compareRunning({ now, earlier, bringsMemory: true })
  expect(compared).toMatchObject({ sameVariables: 2, unclearVariables: 2, variableCount: 6, knowsVariables: true })
  expect(compared.variables.map(({ name, change }) => `${change} ${name}`)).toEqual([
    ...['restored gone', 'changed other', 'changed typed', 'changed grown', 'removed new', 'removed there (second)'],
  ])
  expect(compared.variables[2]).toMatchObject({ typeNow: 'str', typeThen: 'int' })
})

test('long lists end after 100 variables with the total count, and long names are truncated', () => {
  const many = Array.from({ length: 300 }, (_, index) => variable(`v${index}`, '1:a'))
  const now = manifest([process(1, 'x'.repeat(1000))], many)
  const compared = compareRunning({ now, earlier: nothingRuns, bringsMemory: true })
  expect(compared.variables).toHaveLength(100)
  expect(compared.variableCount).toBe(300)
  expect(compared.variablesByChange).toEqual({ restored: 0, changed: 0, removed: 300, lost: 0 })
  expect(compared.processes[0]?.name).toHaveLength(200)
})

const leftOut = (variables: number, processes = 0): Partial<Manifest> => ({
  processesLeftOut: processes,
  kernels: [{ context: 'main', pid: 9, state: 'idle', variables: [variable('x', '1:a')], variablesLeftOut: variables }],
})

test('each kind of change is counted, also beyond the listed names', () => {
  const [stay, end, begin] = [120, 130, 140]
  const some = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => process(from + index, `run ${from + index}`))
  const earlier = manifest([...some(stay, 1000), ...some(begin, 2000)], [variable('x', '1:a')])
  const now = manifest([...some(stay, 1000), ...some(end, 3000)])
  const compared = compareRunning({ now, earlier, bringsMemory: true })
  expect(compared.processes).toHaveLength(100)
  expect(compared.processCount).toBe(stay + end + begin)
  expect(compared.processesByChange).toEqual({
    restored: begin,
    returns: stay,
    restarted: 0,
    removed: end,
    unclear: 0,
    lost: 0,
  })
  expect(compared.variablesByChange).toEqual({ restored: 1, changed: 0, removed: 0, lost: 0 })
  expect(compared.leftOut).toEqual({ processesNow: 0, processesThen: 0, variablesNow: 0, variablesThen: 0 })
})

test('processes and variables that a manifest leaves out are counted, and their change is unclear', () => {
  const [now, earlier] = [manifest([], [], leftOut(4100, 7)), manifest([], [], leftOut(4000, 9))]
  const warm = compareRunning({ now, earlier, bringsMemory: true })
  expect(warm).toMatchObject({ variableCount: 0, sameVariables: 1, unclearVariables: 0, knowsVariables: false })
  expect(warm.leftOut).toEqual({ processesNow: 7, processesThen: 9, variablesNow: 4100, variablesThen: 4000 })
  const started = manifest([process(1, 'sleep 9')])
  expect(changesOf({ now: started, earlier, bringsMemory: true })).toContain('unclear sleep 9')
})

test('an earlier variable is unclear when the current manifest leaves variables out', () => {
  const earlier = manifest([], [variable('x', '1:a'), variable('y', '1:a')])
  const compared = compareRunning({ now: manifest([], [], leftOut(50)), earlier, bringsMemory: true })
  expect(compared).toMatchObject({ variables: [], sameVariables: 1, unclearVariables: 1 })
})

test('without memory every current variable is removed, including those left out of the manifest', () => {
  const earlier = manifest([], [], leftOut(20))
  const compared = compareRunning({ now: manifest([], [], leftOut(4999)), earlier, bringsMemory: false })
  expect(compared).toMatchObject({ variableCount: 5000, variablesByChange: { removed: 5000, lost: 0 } })
  expect(compared.leftOut).toMatchObject({ variablesNow: 0, variablesThen: 20 })
})
