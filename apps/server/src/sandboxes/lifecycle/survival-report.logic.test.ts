import type { Manifest, RescueReport } from '@threadbox/protocol/guest'
import type { SurvivalItem } from '@threadbox/protocol/public'
import { emptyFileChanges, emptyManifest, emptyRescue } from '@threadbox/testkit/host-stand-in'
import { describe, expect, test } from 'vitest'
import { compareSurvival, type Evidence, summarize } from './survival-report.logic.ts'
import { because } from './survival-words.logic.ts'

const process = (pid: number, commandLine: string[], more: Partial<Manifest['processes'][number]> = {}) => ({
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
  role: 'user' as const,
  service: '',
  ...more,
})
const variable = (name: string, fingerprint: string | null = 'same', type = 'int') => ({
  context: 'default',
  name,
  type,
  bytes: 8,
  fingerprint,
  compared: 'content' as Manifest['kernels'][number]['variables'][number]['compared'],
  rescue: 'data' as const,
  reason: '',
})
const kernel = (variables: ReturnType<typeof variable>[], more: Partial<Manifest['kernels'][number]> = {}) => ({
  context: 'default',
  pid: 97,
  state: 'idle' as const,
  variables,
  ...more,
})
const port = (number: number, pid: number | null = 10) => ({
  protocol: 'tcp' as const,
  address: '127.0.0.1',
  port: number,
  pid,
})
const connection = (more: Partial<Manifest['connections'][number]> = {}) => ({
  kind: 'tcp' as const,
  scope: 'inside' as const,
  local: '127.0.0.1:8000',
  remote: '127.0.0.1:40000',
  state: 'established',
  pid: 10,
  ...more,
})

const unix = (local: string) => connection({ kind: 'unix', local, remote: '' })

const units = [unix('1'), unix('2')]

/** A manifest with every part filled. */
const whole: Manifest = {
  ...emptyManifest(),
  processes: [
    process(10, ['python', 'server.py']),
    process(11, ['redis-server'], { role: 'service' }),
    process(97, ['python', 'kernel.py'], { role: 'kernel' }),
    process(12, ['bash', '/one'], { role: 'shell' }),
  ],
  ports: [port(8000)],
  connections: [connection(), ...units],
  kernels: [kernel([variable('x'), variable('frame')])],
  shell: {
    cwd: '/home/user',
    environment: { PATH: 'p', TOKEN: 't' },
    functions: ['greet'],
    parts: { 'alias ll': 'l' },
  },
  packages: { python: { pandas: '2.2' }, apt: { jq: '1.7' }, npm: { serve: '14' } },
  deletedOpenFiles: [{ pid: 10, path: '/tmp/gone', bytes: 100 }],
  memoryFiles: [{ path: '/dev/shm/shared', bytes: 5, changedAt: 1 }],
}
const changed = (more: Partial<Manifest>): Manifest => ({ ...whole, ...more })
const hot = (after: Manifest | null, more: Partial<Evidence> = {}): Evidence => ({
  facts: { from: 'memory', cause: null },
  before: whole,
  after,
  afterProblem: 'silent',
  files: emptyFileChanges,
  rescued: null,
  replayed: null,
  services: [],
  ...more,
})
const notKept = (evidence: Evidence) =>
  compareSurvival(evidence)
    .filter((item) => item.outcome !== 'kept')
    .map(({ kind, name, outcome }) => `${outcome} ${kind} ${name}`)
const named = (items: readonly SurvivalItem[], name: string) => items.find((item) => item.name === name)

test('C6: everything that is equal before and after is kept, and nothing else is reported', () => {
  expect(notKept(hot(whole))).toEqual([])
  const { counts } = summarize(compareSurvival(hot(whole)))
  const kept = Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, count.kept]))
  expect(kept).toEqual({
    process: 1,
    service: 1,
    port: 1,
    connection: 3,
    variable: 2,
    shell: 1,
    environment: 2,
    package: 3,
    'open-file': 1,
    file: 2,
  })
})

describe('C6: faults between the two manifests: each is reported, none is called kept', () => {
  const [server, redis, python, shellProcess] = whole.processes
  if (!server || !redis || !python || !shellProcess) throw new Error('four processes')
  const without = (...pids: number[]) => whole.processes.filter(({ pid }) => !pids.includes(pid))
  const kernelWith = (...variables: ReturnType<typeof variable>[]) => changed({ kernels: [kernel(variables)] })
  const shell = (more: Partial<Manifest['shell']>) => changed({ shell: { ...whole.shell, ...more } })
  const faults: [string, Manifest, string[]][] = [
    [
      'a process was killed',
      changed({ processes: without(10), ports: [port(8000, null)] }),
      ['lost process python server.py', 'unchecked port tcp 127.0.0.1:8000'],
    ],
    [
      'another process has its PID',
      changed({ processes: [process(10, ['sleep', '9'], { startTicks: '5' }), redis, python, shellProcess] }),
      ['lost process python server.py', 'lost port tcp 127.0.0.1:8000'],
    ],
    [
      'it was restarted',
      changed({
        processes: [process(20, ['python', 'server.py']), redis, python, shellProcess],
        ports: [port(8000, 20)],
      }),
      ['restarted process python server.py', 'restarted port tcp 127.0.0.1:8000'],
    ],
    [
      'a service was restarted under another PID',
      changed({ processes: [process(20, ['redis-server']), server, python, shellProcess] }),
      ['restarted service redis-server'],
    ],
    ['a service ended', changed({ processes: without(11) }), ['lost service redis-server']],
    ['nothing listens anymore', changed({ ports: [] }), ['lost port tcp 127.0.0.1:8000']],
    ['another process took the port', changed({ ports: [port(8000, 11)] }), ['lost port tcp 127.0.0.1:8000']],
    [
      'it listens on another address',
      changed({ ports: [{ ...port(8000), address: '0.0.0.0' }] }),
      ['lost port tcp 127.0.0.1:8000'],
    ],
    [
      'a connection is closed',
      changed({ connections: units }),
      ['lost connection tcp 127.0.0.1:8000 – 127.0.0.1:40000'],
    ],
    [
      'the other side closed it',
      changed({ connections: [connection({ state: 'half-closed' }), ...units] }),
      ['lost connection tcp 127.0.0.1:8000 – 127.0.0.1:40000'],
    ],
    [
      'one end of a Unix connection is closed, and which other one is its peer is unknown',
      changed({ connections: [connection(), unix('1')] }),
      ['lost connection unix 2 – ', 'unchecked connection unix 1 – '],
    ],
    [
      'the process runs another program',
      changed({
        processes: [
          { ...server, executable: '/usr/bin/sleep', commandLine: ['sleep', '9'] },
          redis,
          python,
          shellProcess,
        ],
      }),
      ['lost process python server.py'],
    ],
    [
      'the process has another name',
      changed({ processes: [{ ...server, name: 'idle', commandLine: ['idle'] }, redis, python, shellProcess] }),
      ['unchecked process python server.py'],
    ],
    [
      'another shell waits for commands',
      changed({ processes: [...without(12), process(13, ['bash', '/other'], { role: 'shell' })] }),
      [],
    ],
    ['a shell of threadbox, which ran a command, ended', changed({ processes: without(12) }), []],
    ['a shell alias is gone', shell({ parts: {} }), ['lost shell shell session']],
    ['a shell alias changed', shell({ parts: { 'alias ll': 'x' } }), ['lost shell shell session']],
    ['a file in memory is gone', changed({ memoryFiles: [] }), ['lost file /dev/shm/shared']],
    [
      'a file in memory was written to',
      changed({ memoryFiles: [{ path: '/dev/shm/shared', bytes: 5, changedAt: 2 }] }),
      ['unchecked file /dev/shm/shared'],
    ],
    ['a variable was deleted', kernelWith(variable('x')), ['lost variable frame']],
    ['a variable has another value', kernelWith(variable('x', 'other'), variable('frame')), ['lost variable x']],
    ['a variable has another type', kernelWith(variable('x', 'same', 'str'), variable('frame')), ['lost variable x']],
    ['a variable cannot be compared', kernelWith(variable('x', null), variable('frame')), ['unchecked variable x']],
    ['the kernel ended', changed({ kernels: [], processes: without(97) }), ['lost variable x', 'lost variable frame']],
    [
      'another kernel replaced it',
      changed({ kernels: [kernel([variable('x')], { pid: 98 })] }),
      ['lost variable x', 'lost variable frame'],
    ],
    [
      'a cell is running',
      changed({ kernels: [kernel([variable('x', 'other')], { state: 'busy' })] }),
      ['unchecked variable x', 'unchecked variable frame'],
    ],
    [
      'the kernel does not respond',
      changed({
        kernels: [kernel([], { state: 'not-answering' })],
        unread: [{ part: 'variables', context: 'default', reason: 'not-answering', detail: '900 ms' }],
      }),
      ['unchecked variable x', 'unchecked variable frame'],
    ],
    ['the shell is in another directory', shell({ cwd: '/tmp' }), ['lost shell shell session']],
    ['a shell function is gone', shell({ functions: [] }), ['lost shell shell session']],
    ['an exported variable is gone', shell({ environment: { PATH: 'p' } }), ['lost environment TOKEN']],
    [
      'an exported variable has another value',
      shell({ environment: { PATH: 'p', TOKEN: 'x' } }),
      ['lost environment TOKEN'],
    ],
    [
      'all values were hashed with another key',
      shell({ environment: { PATH: '1', TOKEN: '2' } }),
      ['unchecked environment PATH', 'unchecked environment TOKEN'],
    ],
    ['a package was removed', changed({ packages: { ...whole.packages, python: {} } }), ['lost package pandas']],
    [
      'a package has another version',
      changed({ packages: { ...whole.packages, apt: { jq: '1.8' } } }),
      ['lost package jq'],
    ],
    [
      'packages could not be read',
      changed({
        packages: { python: {}, apt: {}, npm: {} },
        unread: [{ part: 'packages', reason: 'failed', detail: 'locked' }],
      }),
      ['unchecked package pandas', 'unchecked package jq', 'unchecked package serve'],
    ],
    ['a deleted file is no longer open', changed({ deletedOpenFiles: [] }), ['lost open-file /tmp/gone']],
    [
      'a deleted file is shorter',
      changed({ deletedOpenFiles: [{ pid: 10, path: '/tmp/gone', bytes: 5 }] }),
      ['lost open-file /tmp/gone'],
    ],
    [
      'processes could not be listed',
      changed({ processes: [], unread: [{ part: 'processes', reason: 'failed', detail: 'no /proc' }] }),
      ['unchecked process python server.py', 'unchecked service redis-server', 'lost port tcp 127.0.0.1:8000'],
    ],
  ]
  test.each(faults)('%s', (_, after, expected) => {
    expect(notKept(hot(after)).toSorted()).toEqual(expected.toSorted())
    const others = compareSurvival(hot(after)).filter(({ outcome }) => outcome !== 'kept')
    expect(others.filter(({ reason, because }) => reason === '' || because === undefined)).toEqual([])
  })
})

test('C6: a variable whose content only one manifest covers is reported as the same object, not as unchanged', () => {
  const before = changed({ kernels: [kernel([variable('x', '7f:content'), variable('frame', '8f:content')])] })
  const identity = { ...variable('x', '7f:other'), compared: 'identity' as const }
  const other = { ...variable('frame', '9f:other'), compared: 'identity' as const }
  const items = compareSurvival(hot(changed({ kernels: [kernel([identity, other])] }), { before }))
  expect(named(items, 'x')).toMatchObject({ outcome: 'kept', reason: expect.stringContaining('Same object') })
  expect(named(items, 'frame')).toMatchObject({ outcome: 'lost' })
})

test('A2: a connection to the outside is never called kept: only its other side knows', () => {
  const before = changed({ connections: [connection({ scope: 'outside', remote: '192.0.2.1:443' })] })
  expect(notKept(hot(before, { before }))).toEqual(['unchecked connection tcp 127.0.0.1:8000 – 192.0.2.1:443'])
  const gone = hot(changed({ connections: [] }), { before })
  expect(compareSurvival(gone).find(({ kind }) => kind === 'connection')).toMatchObject({
    outcome: 'lost',
    reason: 'Closed: the other side dropped it.',
  })
})

test('C8: files that are gone are lost, files that were written to are unchecked, the rest is kept', () => {
  const files = {
    ...emptyFileChanges,
    removed: ['home/user/a.csv'],
    removedCount: 3,
    changed: ['home/user/log'],
    changedCount: 1,
  }
  expect(notKept(hot(whole, { files }))).toEqual([
    'lost file /home/user/a.csv',
    'lost file 2 more files',
    'unchecked file /home/user/log',
  ])
  expect(notKept(hot(whole, { files: null }))).toEqual(['unchecked file files on the disk'])
  expect(notKept(hot(whole, { files: { ...emptyFileChanges, since: null } }))).toEqual([
    'unchecked file files on the disk',
  ])
})

test('C8: a file that a kept process still writes is kept; a file that another process writes is unchecked', () => {
  const paths = ['/var/log/mine', '/home/user/ended', '/home/user/closed', '/home/user/new']
  const files = { ...emptyFileChanges, changed: paths.map((path) => path.slice(1)), changedCount: paths.length }
  const writtenFiles = ['/var/log/mine', '/home/user/closed'].map((path) => ({ pid: 10, path }))
  const before = changed({ writtenFiles: [...writtenFiles, { pid: 11, path: '/home/user/ended' }] })
  const now = changed({
    processes: whole.processes.map((one) => (one.pid === 11 ? { ...one, startTicks: '1' } : one)),
    writtenFiles: [
      { pid: 10, path: '/var/log/mine' },
      { pid: 11, path: '/home/user/ended' },
      { pid: 10, path: '/home/user/new' },
    ],
  })
  const items = compareSurvival(hot(now, { before, files }))
  expect(named(items, '/var/log/mine')).toMatchObject({
    outcome: 'kept',
    reason: 'Written after the pause, by a process that was kept.',
    detail: 'PID 10',
  })
  expect(paths.slice(1).map((path) => named(items, path)?.outcome)).toEqual(['unchecked', 'unchecked', 'unchecked'])
  const rewound = { from: 'memory' as const, cause: { code: 'rewound' as const, detail: '' } }
  const afterRewind = compareSurvival(hot(now, { before, files, facts: rewound }))
  expect(named(afterRewind, '/var/log/mine')?.reason).toBe('Written after the rewind, by a process that was kept.')
})

test('C8: a file that was only extended is kept, whichever process wrote it; any other change is unchecked', () => {
  const names = ['log', 'touched', 'letter', 'edited'].map((name) => `home/user/${name}`)
  const extended = [1234, 0, 1].map((addedBytes, index) => ({ name: names[index] ?? '', addedBytes }))
  const files = { ...emptyFileChanges, changed: names, changedCount: 5, extended }
  const items = compareSurvival(hot(whole, { files }))
  expect(named(items, '/home/user/log')).toMatchObject({
    outcome: 'kept',
    reason: 'Written after the pause: the previous contents are unchanged, followed by 1234 bytes.',
    detail: '',
  })
  expect(named(items, '/home/user/touched')?.reason).toMatch(/: its contents are the same as before\.$/)
  expect(named(items, '/home/user/letter')?.reason).toMatch(/followed by 1 byte\.$/)
  expect(named(items, '/home/user/edited')).toMatchObject({
    outcome: 'unchecked',
    reason: 'Changed after the pause.',
  })
  expect(named(items, '1 more file')?.outcome).toBe('unchecked')
})

test('C8: a cache is one line with the number of its changed or removed files; its new files are not reported', () => {
  const none = { removedCount: 0, changedCount: 0, addedCount: 0 }
  const files = {
    ...emptyFileChanges,
    folders: [
      { ...none, name: 'home/user/app/node_modules', removedCount: 1, changedCount: 4 },
      { ...none, name: 'home/user/.cache', changedCount: 3 },
      { ...none, name: 'home/user/__pycache__', addedCount: 9 },
    ],
  }
  const found = compareSurvival(hot(whole, { files })).filter(
    ({ kind, outcome }) => kind === 'file' && outcome !== 'kept',
  )
  expect(found).toMatchObject([
    { outcome: 'lost', name: '/home/user/app/node_modules', reason: '1 file in it was removed after the pause.' },
    { outcome: 'unchecked', name: '/home/user/.cache', reason: '3 files in it were changed after the pause.' },
  ])
})

test('a Python kernel that ended is reported even if it held nothing', () => {
  const before = changed({ kernels: [kernel([])] })
  expect(notKept(hot(changed({ kernels: [] }), { before }))).toEqual(['lost variable all variables of default'])
})

test('after a lost disk, threadbox’s own kernels and shells are not reported', () => {
  const items = compareSurvival(hot(null, { facts: { from: 'new', cause: null } }))
  const processes = items.filter(({ kind }) => kind === 'process').map(({ name }) => name)
  expect(processes).toEqual(['python server.py', 'redis-server'])
})

test('a sandbox that could not be checked before or after is reported as unchecked', () => {
  const after = compareSurvival(hot(null))
  expect(after[0]).toMatchObject({
    outcome: 'unchecked',
    reason: 'The sandbox couldn’t be checked after the wake: it didn’t respond.',
  })
  const before = compareSurvival(hot(whole, { before: null }))
  expect(before[0]).toMatchObject({
    outcome: 'unchecked',
    reason: 'What was running couldn’t be recorded before the pause.',
  })
})

describe('A3, G5: after a cold start', () => {
  const cause = { code: 'memory-given-up', detail: '' }
  const rescue = (more: Partial<RescueReport> = {}): RescueReport => ({
    ...emptyRescue(),
    state: 'replayed',
    variables: [
      { context: 'default', name: 'x', type: 'int', outcome: 'kept', method: 'data', bytes: 8, reason: '' },
      {
        context: 'default',
        name: 'frame',
        type: 'DataFrame',
        outcome: 'lost',
        method: 'none',
        bytes: null,
        reason: 'It is too large.',
      },
    ],
    shell: { outcome: 'kept', reason: '' },
    processes: [
      { id: 'p1', pid: 10, commandLine: ['python', 'server.py'], cwd: '/', role: 'user', obstacle: '' },
      {
        id: 'p2',
        pid: 11,
        commandLine: ['redis-server'],
        cwd: '/',
        role: 'service',
        obstacle: 'no-directory',
      },
    ],
    ...more,
  })
  const empty = changed({
    processes: [],
    ports: [],
    connections: [],
    deletedOpenFiles: [],
    kernels: [kernel([variable('x')], { pid: 50 })],
  })
  const cold = (more: Partial<Evidence> = {}) =>
    hot(empty, { facts: { from: 'disk', cause }, rescued: rescue({ state: 'pending' }), replayed: rescue(), ...more })

  test('processes are lost and can be restarted where nothing prevents it', () => {
    const items = compareSurvival(cold())
    expect(named(items, 'python server.py')).toMatchObject({ outcome: 'lost', restartId: 'p1' })
    expect(named(items, 'redis-server')).toMatchObject({ outcome: 'lost', restartId: null })
    expect(named(items, 'redis-server')?.reason).toMatch(/discarded\. Its working directory no longer exists\.$/)
    expect(items.find(({ kind }) => kind === 'connection')?.outcome).toBe('lost')
    expect(named(items, '/tmp/gone')?.outcome).toBe('lost')
  })
  test('O7: services are listed by name with their outcome, and their processes are not listed', () => {
    const before = changed({
      processes: [
        process(20, ['bash', '-c', 'npm start'], { role: 'service', service: 'web' }),
        process(21, ['node', 'server.js'], { role: 'service', service: 'web', parentPid: 20 }),
        process(22, ['redis-server'], { role: 'service', service: 'forgotten' }),
      ],
    })
    const services = [
      { name: 'web', command: 'npm start', outcome: 'restarted' as const, because: because('restarted') },
      {
        name: 'api',
        command: 'flask run',
        outcome: 'lost' as const,
        because: because('service-failed', { detail: 'x' }),
      },
    ]
    const ofPrograms = (evidence: Evidence) =>
      compareSurvival(evidence).flatMap(({ kind, name, outcome }) =>
        kind === 'service' || kind === 'process' ? [`${outcome} ${kind} ${name}`] : [],
      )
    expect(ofPrograms(cold({ before, services }))).toEqual([
      'restarted service web',
      'lost service api',
      'lost service forgotten',
    ])
    expect(ofPrograms(cold({ before: null, services }))).toContain('restarted service web')
    expect(ofPrograms(hot(before, { before }))).toEqual([
      'kept service web',
      'kept process node server.js',
      'kept service forgotten',
    ])
  })
  test('variables are rescued only when they are present again, and lost ones keep their reason', () => {
    const items = compareSurvival(cold())
    expect(named(items, 'x')).toMatchObject({ outcome: 'rescued' })
    expect(named(items, 'frame')).toMatchObject({ outcome: 'lost', reason: 'It is too large.' })
    const deleted = compareSurvival(cold({ after: { ...empty, kernels: [kernel([], { pid: 50 })] } }))
    expect(named(deleted, 'x')).toMatchObject({ outcome: 'lost' })
  })
  test.each([
    ['pending', 'unchecked'],
    ['replaying', 'unchecked'],
    ['failed', 'lost'],
  ] as const)('a rescue that is %s makes a saved variable %s', (state, outcome) => {
    expect(named(compareSurvival(cold({ replayed: rescue({ state }) })), 'x')?.outcome).toBe(outcome)
  })
  test('variables that were not rescued at all are lost', () => {
    const items = compareSurvival(cold({ rescued: null, replayed: emptyRescue(), after: { ...empty, kernels: [] } }))
    expect([named(items, 'x')?.outcome, named(items, 'frame')?.outcome]).toEqual(['lost', 'lost'])
  })
  test('the shell session and packages are checked, not assumed', () => {
    expect(named(compareSurvival(cold()), 'shell session')).toMatchObject({ outcome: 'rescued' })
    const poorer = {
      ...empty,
      shell: { ...whole.shell, environment: { PATH: 'p' } },
      packages: { ...whole.packages, npm: {} },
    }
    const items = compareSurvival(cold({ after: poorer }))
    expect(named(items, 'TOKEN')).toMatchObject({ outcome: 'lost' })
    expect(named(items, 'serve')).toMatchObject({ outcome: 'lost' })
    expect(named(items, 'pandas')).toMatchObject({ outcome: 'kept' })
    const unseen = compareSurvival(cold({ after: null, replayed: null }))
    expect(unseen.filter(({ outcome }) => outcome === 'kept').map(({ kind }) => kind)).toEqual(['file'])
  })
  test('a boot that ended unexpectedly lost everything that was in memory', () => {
    const ended = { from: 'disk' as const, cause: { code: 'ended-killed-inside', detail: '' } }
    expect(notKept(cold({ facts: ended, before: null, rescued: null, replayed: emptyRescue(), files: null }))).toEqual([
      'lost process everything that was running',
      'lost shell shell session',
      'lost variable all Python variables',
      'unchecked file files on the disk',
    ])
  })
  test('values saved at an earlier pause are not taken for the last ones', () => {
    const restarted = { from: 'disk' as const, cause: { code: 'restarted', detail: '' } }
    const replayed = rescue({ takenAt: 1_700_000_000_000 })
    const item = named(compareSurvival(cold({ facts: restarted, rescued: null, replayed })), 'x')
    expect(item).toMatchObject({ outcome: 'unchecked', reason: expect.stringContaining('2023-11-14') })
    expect(
      named(compareSurvival(cold({ facts: { ...restarted, cause }, rescued: null, replayed })), 'x'),
    ).toMatchObject({
      outcome: 'rescued',
    })
  })
  test('C6: a replaced sandbox lost its files, and is not compared with anything', () => {
    const facts = { from: 'new' as const, cause: { code: 'disk-missing', detail: 'The disk is gone.' } }
    const items = compareSurvival(hot(empty, { facts }))
    expect(new Set(items.map(({ outcome }) => outcome))).toEqual(new Set(['lost']))
    expect(named(items, 'all files')).toMatchObject({ reason: 'The disk is gone.' })
  })
  test('C6: with an older copy of the disk, everything written later is lost', () => {
    const facts = { from: 'snapshot' as const, cause: { code: 'disk-missing', detail: 'Made again.' } }
    expect(notKept(cold({ facts }))).toContain('lost file everything written after the snapshot')
  })
})

test('a report lists lost items first, and counts everything', () => {
  const items = Array.from({ length: 3000 }, (_, index) => ({
    kind: 'process' as const,
    name: `p${index}`,
    reason: '',
    detail: '',
    restartId: null,
    outcome: index === 2999 ? ('lost' as const) : ('kept' as const),
  }))
  const report = summarize(items)
  expect(report.items[0]?.name).toBe('p2999')
  expect(report.items).toHaveLength(501)
  expect(report.counts.process).toEqual({ kept: 2999, rescued: 0, restarted: 0, lost: 1, unchecked: 0 })
})

describe('C9: after a rewind', () => {
  const cause = { code: 'rewound', detail: '' }
  const outside = connection({ scope: 'outside', local: '198.18.0.6:4000', remote: '203.0.113.7:443' })
  const past: Manifest = {
    ...whole,
    packages: emptyManifest().packages,
    connections: [outside],
    unread: [{ part: 'variables', context: 'default', leftOut: 7, reason: 'too-many', detail: '' }],
  }
  const nothing = { files: null, rescued: null, replayed: null, services: [], afterProblem: null }
  const reasons = (items: SurvivalItem[], outcome: SurvivalItem['outcome']) =>
    items.filter((item) => item.outcome === outcome).map(({ name, reason }) => `${name}: ${reason}`)

  test('with memory, what was not recorded is unchecked, and the new address closes a connection', () => {
    const after = { ...past, connections: [] }
    const items = compareSurvival({ ...nothing, facts: { from: 'memory', cause }, before: past, after })
    expect(reasons(items, 'lost')).toEqual([
      'tcp 198.18.0.6:4000 – 203.0.113.7:443: Closed: the sandbox has a new address.',
    ])
    expect(reasons(items, 'unchecked')).toContain('7 more variables of default: They weren’t recorded at that point.')
    const unknown = compareSurvival({ ...nothing, facts: { from: 'memory', cause }, before: null, after })
    expect(unknown[0]).toMatchObject({ reason: 'What was running couldn’t be recorded at that point.' })
  })

  test('that was undone, the reasons are those of an undo, also for what was not restored', () => {
    const undone = { code: 'rewind-undone', detail: '' }
    const after = { ...past, connections: [] }
    const hot = compareSurvival({ ...nothing, facts: { from: 'memory', cause: undone }, before: null, after })
    expect(hot[0]).toMatchObject({ reason: 'What was running couldn’t be recorded before the rewind.' })
    const cold = { ...nothing, facts: { from: 'disk' as const, cause: undone }, after: emptyManifest(), before: past }
    expect(reasons(compareSurvival(cold), 'lost')).toContain(
      'x: It was in memory at that point, and the memory from then wasn’t restored.',
    )
  })

  test('without memory, what was running is lost by name; if that was not recorded, the report says so', () => {
    const evidence = { ...nothing, facts: { from: 'disk' as const, cause }, after: emptyManifest() }
    const lost = reasons(compareSurvival({ ...evidence, before: past }), 'lost')
    const rest = 'at that point, and the memory from then wasn’t restored.'
    for (const one of ['python server.py: It was running', 'x: It was in memory'])
      expect(lost).toContain(`${one} ${rest}`)
    expect(compareSurvival({ ...evidence, before: null })[0]?.reason).toContain('wasn’t recorded')
  })
})
