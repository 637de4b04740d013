import { defineError, type ErrorKind } from '@threadbox/errors'
import type { BootEndCause } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { openMigrated } from '../../migrated.test-utils.ts'
import type { SandboxRow } from './sandboxes.table.ts'
import {
  type HostAnswers,
  hostSandbox,
  makeTransitionBench,
  now,
  type TransitionActs,
} from './transition-bench.test-utils.ts'

const past = (minutes: number) => now - minutes * 60_000
const ran = { has_run: 1, used_at: past(3), since: past(5), retention_announced_at: past(1), limit_announced: 1 }
const booted = { ...ran, boot_id: 'boot-1', awake_since: past(9), held_until: past(-5) }
const asleep = { ...ran, boot_id: 'boot-1', paused_at: past(5), is_frozen: 1, image_bytes: 5, pause_cause: 'idle' }
const pauseDetail = { detail_code: 'paused.idle', detail_json: '{"minutes":30}' }
const rows = {
  fresh: { state: 'fresh' },
  'starting for the first time': { state: 'starting', boot_id: 'boot-1' },
  starting: { ...ran, state: 'starting', boot_id: 'boot-1' },
  active: { ...booted, state: 'active' },
  pausing: { ...booted, ...pauseDetail, state: 'pausing', pause_cause: 'idle' },
  paused: { ...asleep, ...pauseDetail, state: 'paused' },
  waking: { ...asleep, state: 'waking' },
  cold: { ...ran, state: 'cold', cause_json: '{"code":"ended-unknown","detail":"","pausedAt":null}' },
  archived: { ...ran, state: 'archived' },
  error: { ...ran, state: 'error', detail_code: 'disk.broken', detail_json: '{}' },
  deleting: { ...ran, state: 'deleting' },
} satisfies Record<string, Partial<SandboxRow>>
type State = keyof typeof rows
const states = Object.keys(rows) as State[]

/** An order without a response, with what is on record where a boot ended in the meantime. */
const hasBoot = (state: State) => ['active', 'pausing', 'paused', 'waking'].includes(state)
const rewinding = (state: State) => ({
  ...(!hasBoot(state) && { cause_json: '{"code":"rewound","detail":"","pausedAt":null}' }),
  intent_json: '{"kind":"rewind","keepId":"keep","cause":"rewound"}',
})
const rewoundCold = {
  cause_json: '{"code":"rewound","detail":"","pausedAt":null}',
  detail_code: 'rewound',
  detail_json: '{}',
}
/** Without memory, the demotion is the cause of the next start. */
const demoting = (state: State) =>
  state === 'paused'
    ? { intent_json: '{"kind":"demote","reason":"time"}' }
    : {
        cause_json: `{"code":"memory-given-up","detail":"Its retention time was over.","pausedAt":${past(5)}}`,
      }

const fails =
  (code: `${string}.${string}`, kind: ErrorKind = 'internal', details = {}) =>
  () => {
    throw defineError<Record<string, string>>({ code, kind, message: () => `${code} happened`, remedy: () => '' })(
      details,
    )
  }
const gone = () => {
  throw new DOMException('canceled', 'AbortError')
}
const ready = hostSandbox({ actual: 'ready', bootId: 'boot-1' })
const readyRewound = hostSandbox({ actual: 'ready', bootId: 'boot-then' })
const ended = (cause: BootEndCause, bootId = 'boot-1') =>
  hostSandbox({ lastBootEnd: { bootId, cause, at: past(1), detail: 'as it was measured' } })
const starts: HostAnswers = {
  get: () => hostSandbox(),
  ensure: () => hostSandbox(),
  start: () => ready,
  wake: () => ({ sandbox: ready, from: 'memory', durationMs: 1 }),
  abandonPause: () => undefined,
  stop: () => hostSandbox(),
  delete: () => undefined,
}
const pausedHost = hostSandbox({
  actual: 'paused',
  bootId: 'boot-1',
  paused: { at: now, imageBytes: 77, isFrozen: true },
})
const pauses: HostAnswers = {
  get: () => ready,
  pause: () => ({ sandbox: pausedHost, manifest: { processes: [] }, manifestProblem: '', stallMs: 1, durationMs: 2 }),
}
const rescue = { variables: [{ outcome: 'kept' }, { outcome: 'lost' }], processes: [{}] }
const kept = { snapshotId: 'keep' }
const rewinds = (from: 'memory' | 'disk'): HostAnswers => ({
  rewind: () => ({ sandbox: ready, kept, from, problem: from === 'disk' ? 'no memory then' : '' }),
})
const forks = (from: 'memory' | 'disk'): HostAnswers => ({
  fork: () => ({ sandbox: ready, from, problem: from === 'disk' ? 'no memory' : '', stallMs: 1, durationMs: 1 }),
})

type Case = [
  name: string,
  row: Partial<SandboxRow>,
  answers: HostAnswers,
  act: (acts: TransitionActs) => Promise<unknown>,
]
const wanted = (acts: TransitionActs) => acts.wanted()

const wakes: Case[] = [
  ...states.map((state): Case => [`${state}: wanted`, rows[state], starts, wanted]),
  ...(['fresh', 'cold', 'error'] as const).flatMap((state): Case[] => [
    [`${state}: wanted, the start fails`, rows[state], { ...starts, start: fails('boot.failed') }, wanted],
    [`${state}: wanted, the start is canceled`, rows[state], { ...starts, start: gone }, wanted],
    [
      `${state}: wanted, no memory is left`,
      rows[state],
      { ...starts, start: fails('host.no-memory', 'unavailable') },
      wanted,
    ],
  ]),
  ['starting: wanted, that boot is over', rows.starting, { ...starts, start: fails('boot.over', 'conflict') }, wanted],
  ['cold: wanted, the host forgot the disk', rows.cold, { ...starts, get: () => undefined }, wanted],
  [
    'cold: wanted, restored from a snapshot',
    rows.cold,
    { ...starts, start: () => ({ ...ready, diskRestoredFrom: past(60) }) },
    wanted,
  ],
  ['fresh after a removal: wanted', { state: 'fresh', cause_json: rows.cold.cause_json }, starts, wanted],
  ['active: wanted, ready', rows.active, { ...starts, get: () => ready }, wanted],
  ['active: wanted, its boot ended', rows.active, { ...starts, get: () => ended('memory-backstop') }, wanted],
  ['active: wanted, paused by the host', rows.active, { ...starts, ...pauses, get: () => pausedHost }, wanted],
  ...(['frozen', 'memory', 'awake'] as const).map(
    (from): Case => [
      `waking: wanted, ${from}`,
      rows.waking,
      { ...starts, wake: () => ({ sandbox: ready, from, durationMs: 1 }) },
      wanted,
    ],
  ),
  [
    'waking without a pause on record: wanted',
    { ...rows.waking, paused_at: null },
    { ...starts, wake: () => ({ sandbox: ready, from: 'awake', durationMs: 1 }) },
    wanted,
  ],
  ...(
    [
      ['memory is corrupt', fails('sandbox.memory-unusable', 'internal', { reason: 'corrupt' })],
      ['memory is unusable', fails('sandbox.memory-unusable')],
      ['the disk is gone', fails('disk.not-found')],
      ['another boot', fails('boot.other', 'conflict')],
      ['the host is away', fails('host.unreachable', 'unavailable')],
      ['the wait is canceled', gone],
    ] as const
  ).map(([name, wake]): Case => [`waking: wanted, ${name}`, rows.waking, { ...starts, wake }, wanted]),
  [
    'waking: wanted, its boot ended',
    rows.waking,
    { ...starts, get: () => ended('machine-restarted'), wake: fails('boot.other', 'conflict') },
    wanted,
  ],
]

const sleeps: Case[] = [
  ...states.map((state): Case => [`${state}: paused`, rows[state], pauses, (acts) => acts.pause()]),
  [
    'active: paused without a manifest',
    rows.active,
    {
      ...pauses,
      pause: () => ({ sandbox: hostSandbox(), manifest: null, manifestProblem: 'x', stallMs: 1, durationMs: 2 }),
    },
    (acts) => acts.pause(),
  ],
  ['active: paused in a turn', rows.active, pauses, (acts) => acts.pauseInTurn()],
  ['pausing: paused in a turn', rows.pausing, pauses, (acts) => acts.pauseInTurn()],
  ['active: paused by the host', rows.active, pauses, (acts) => acts.adoptPause()],
  [
    'active: paused, abandoned',
    rows.active,
    { ...pauses, pause: fails('sandbox.pause-abandoned', 'conflict') },
    (acts) => acts.pause(),
  ],
  [
    'active: paused, refused',
    rows.active,
    { ...pauses, pause: fails('disk.full', 'out-of-space') },
    (acts) => acts.pause(),
  ],
  [
    'active: paused, the host is away',
    rows.active,
    { ...pauses, pause: fails('host.unreachable', 'unavailable') },
    (acts) => acts.pause(),
  ],
  [
    'active: paused, its boot ended',
    rows.active,
    { get: () => ended('killed-inside'), pause: fails('boot.over', 'conflict') },
    (acts) => acts.pause(),
  ],
  ...(['time', 'budget'] as const).flatMap((why): Case[] => [
    ...states.map(
      (state): Case => [
        `${state}: memory discarded for ${why}`,
        rows[state],
        { demote: () => ({ sandbox: hostSandbox(), rescue, problem: '' }) },
        (acts) => acts.demote(why),
      ],
    ),
    [
      `paused: memory discarded for ${why}, nothing rescued`,
      rows.paused,
      { demote: () => ({ sandbox: hostSandbox(), rescue: null, problem: 'silent' }) },
      (acts) => acts.demote(why),
    ],
    [
      `paused: memory discarded for ${why}, refused`,
      rows.paused,
      { demote: fails('host.busy') },
      (acts) => acts.demote(why),
    ],
    [
      `paused: memory discarded for ${why}, unusable`,
      rows.paused,
      { get: () => ended('unknown'), demote: fails('sandbox.memory-unusable') },
      (acts) => acts.demote(why),
    ],
  ]),
]

const ends: Case[] = states.flatMap((state): Case[] =>
  (
    [
      ['', () => ({})],
      [' in a rewind', rewinding],
      [' during a demotion', demoting],
    ] as const
  ).flatMap(([name, ordered]): Case[] => [
    [
      `${state}: ended${name}`,
      { ...rows[state], ...ordered(state) },
      {},
      (acts) => acts.noteEnd(ended('memory-backstop')),
    ],
    [
      `${state}: another boot ended${name}`,
      { ...rows[state], ...ordered(state) },
      {},
      (acts) => acts.noteEnd(ended('killed-outside', 'boot-0')),
    ],
  ]),
)

const others: Case[] = [
  ...states.flatMap((state): Case[] => [
    [`${state}: rewound with memory`, rows[state], rewinds('memory'), (acts) => acts.rewind('rewound')],
    [`${state}: rewound without memory`, rows[state], rewinds('disk'), (acts) => acts.rewind('rewound')],
    [`${state}: rewind undone`, rows[state], rewinds('disk'), (acts) => acts.rewind('rewind-undone')],
    [`${state}: rewind refused`, rows[state], { rewind: fails('snapshot.gone') }, (acts) => acts.rewind('rewound')],
    ...(['snapshot.gone', 'host.unreachable'] as const).map(
      (code): Case => [
        `${state}: rewind sent again after a crash, ${code}`,
        { ...rows[state], ...rewinding(state) },
        { rewind: fails(code) },
        (acts) => acts.rewind('rewound'),
      ],
    ),
    [
      `${state}: rewind unanswered, and its boot ended`,
      rows[state],
      { rewind: fails('host.unreachable', 'unavailable') },
      async (acts) => {
        await acts.rewind('rewound').catch(() => undefined)
        await acts.noteEnd(ended('stopped'))
      },
    ],
    [
      `${state}: removed with its thread`,
      rows[state],
      { delete: fails('host.unreachable', 'unavailable') },
      (acts) => acts.erase(),
    ],
    [`${state}: files removed`, rows[state], { delete: () => undefined }, (acts) => acts.removeFiles()],
  ]),
  [
    'cold: rewind unanswered, and the host has the earlier boot',
    rows.cold,
    { rewind: fails('host.unreachable', 'unavailable'), get: () => readyRewound, stop: () => hostSandbox() },
    async (acts) => {
      await acts.rewind('rewound').catch(() => undefined)
      await acts.reconcile([readyRewound])
    },
  ],
  [
    'cold after a rewind: another one refused',
    { ...rows.cold, ...rewoundCold },
    { rewind: fails('snapshot.gone') },
    (acts) => acts.rewind('rewound'),
  ],
  [
    'active with the earlier boot: rewound with memory',
    { ...rows.active, boot_id: 'boot-then' },
    rewinds('memory'),
    (acts) => acts.rewind('rewound'),
  ],
  ['active: restarted', rows.active, { ...starts, get: () => ready }, (acts) => acts.restart()],
  ['forked with memory', {}, forks('memory'), (acts) => acts.clear().then(() => acts.fork())],
  ['forked without memory', {}, forks('disk'), (acts) => acts.clear().then(() => acts.fork())],
  ['begun from an agent', {}, forks('disk'), (acts) => acts.clear().then(() => acts.fork('from-agent'))],
  ...states.flatMap((state): Case[] =>
    (
      [
        ['nothing', undefined],
        ['a ready boot', ready],
        ['a paused boot', pausedHost],
        ['a boot that ended', ended('killed-outside')],
      ] as const
    ).flatMap(([name, actual]): Case[] =>
      (
        [
          ['', () => ({})],
          [' in a rewind', rewinding],
          [' during a demotion', demoting],
        ] as const
      ).map(
        ([order, ordered]): Case => [
          `${state}: the host has ${name}${order}`,
          { ...rows[state], ...ordered(state) },
          { ...starts, ...pauses, get: () => actual },
          (acts) => acts.reconcile(actual === undefined ? [] : [actual]),
        ],
      ),
    ),
  ),
]

test('every event changes every state of a sandbox as the table says', async () => {
  const open = await openMigrated()
  const sections: string[] = []
  for (const [name, row, answers, act] of [...wakes, ...sleeps, ...ends, ...others]) {
    const bench = await makeTransitionBench(open, row, answers)
    const steps = await bench.run(act)
    sections.push(steps.length === 0 ? `${name}: nothing` : [name, ...steps].join('\n  '))
  }
  await open.close()
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('./transition-table.txt')
})
