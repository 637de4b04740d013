import { defaultLifecyclePolicy, defaultSandboxLimits } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'
import { makeLogger } from '@threadbox/telemetry'
import { stopped } from '@threadbox/testkit/host-stand-in'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { makeEvents } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import { makeDemotion } from '../lifecycle/demotion.ts'
import { makeLifecycle } from '../lifecycle/lifecycle.usecases.ts'
import { removeFiles } from '../lifecycle/retention.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { reconcile } from './reconciler.ts'
import { endedEvent, type Sandbox } from './sandbox.logic.ts'
import { eraseSandbox } from './sandbox-deletion.ts'
import { columnsOf, newSandbox } from './sandbox-rows.ts'
import { makeSandboxStore, type SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow, SandboxTables } from './sandboxes.table.ts'
import { makeSandboxState, type StateFeature } from './state.ts'

export const now = 1_800_000_000_000
const [sandboxId, threadId] = ['sandbox', 'thread']
const sandbox = newSandbox({ id: sandboxId, threadId, now: now - 1000, limits: defaultSandboxLimits })
const fresh = columnsOf(sandbox)
const logger = makeLogger({ process: 'test', level: 'silent' })
const system: System = { now: () => now, newId: (kind) => `${kind}-new`, randomBytes: (count) => new Uint8Array(count) }

/** The host’s responses by call. A call without one fails. */
export type HostAnswers = Partial<{ [Name in keyof HostClient]: () => unknown }>

/** The sandbox of one thread with its collaborators, an empty conversation and a host with the given responses. */
export async function makeTransitionBench(open: OpenDatabase, row: Partial<SandboxRow>, answers: HostAnswers) {
  const tables = tablesOf<SandboxTables>(open.database)
  const steps: string[] = []
  let shown = ''
  const showRow = async () => {
    const text = rowText(
      await tables.selectFrom('sandboxes').selectAll().executeTakeFirst(),
      await tables.selectFrom('sandbox_memories').selectAll().executeTakeFirst(),
    )
    if (text !== shown) steps.push(`row ${text}`)
    shown = text
  }
  await tables.deleteFrom('sandboxes').execute()
  await tables
    .insertInto('sandboxes')
    .values({ ...fresh, ...row })
    .execute()
  const known = { store: makeSandboxStore(tables), host: hostOf(answers, steps), recorder: recorderOf(steps), steps }
  const acts = { ...stateActs(known, showRow), clear: () => tables.deleteFrom('sandboxes').execute() }
  return {
    /** Returns the steps of an act, in order. */
    run: async (act: (acts: TransitionActs) => Promise<unknown>) => {
      await showRow()
      steps.length = 0
      await act(acts).catch((error: unknown) => {
        steps.push(`failed ${(error as { code?: string }).code ?? String(error)}`)
      })
      await settled()
      await showRow()
      return steps
    },
  }
}

type Collaborators = { store: SandboxStore; host: HostClient; recorder: LifecycleRecorder; steps: string[] }

function stateOf({ store, host, recorder, steps }: Collaborators, showRow: () => Promise<void>) {
  return makeSandboxState({
    store,
    host,
    threads: {
      rows: {
        findAny: async () => ({ deleted_at: null }) as never,
        creators: async () => new Map(),
        lastTurnId: async () => 'turn',
      },
      log: noticesOf(steps),
      readDefaults: async () => () =>
        ({
          limits: { ...defaultSandboxLimits, memoryBytes: 4_000_000_000 },
          policy: defaultLifecyclePolicy,
          workspace: { limits: [], policy: [] },
        }) as never,
      brokeredHosts: async () => () => [],
      privateAddresses: async () => [],
      networks: async () => () => ({
        levels: [],
        effective: { kind: 'open' },
        sources: ['installation'],
        privateNames: [],
      }),
      announce: async (_, isRecorded) => {
        if (!isRecorded) return
        await showRow()
        steps.push('announced')
      },
    },
    events: makeEvents<SandboxEvents>(logger),
    recorder,
    announceWaiting: async () => {},
    diskUse: { require: async () => undefined },
    limits: {
      places: { take: async () => true, count: async () => 0, awakeOf: async () => new Set() },
      limitOf: async () => undefined,
      usedOf: async () => undefined,
      showsQueue: () => false,
    },
    bringBack: async () => {},
    preparers: () => [],
    hashKeyOf: () => 'key',
    system,
    logger,
  })
}

/** Everything that changes a sandbox, as acts. */
function stateActs(known: Collaborators, showRow: () => Promise<void>) {
  const { store, recorder } = known
  const state = stateOf(known, showRow)
  const { sandboxes, pausing } = state
  const present = async () => (await store.find(threadId)) as Sandbox
  const lifecycle = makeLifecycle({
    store,
    state,
    reports: recorder,
    system,
    guest: { manifest: async () => ({ processes: [] }) },
    hashKeyOf: () => 'key',
  } as never)
  const order = { threadId, sandboxId, snapshotId: 'snapshot', keepId: 'keep', bootId: 'boot-then', memory: null }
  const idle = { cause: 'idle', params: { minutes: 30 } } as const
  return {
    ...lowerActs(known, state),
    wanted: () => sandboxes.awake(threadId, { reason: 'api', mayWait: false }),
    pause: async () => pausing.pause(await present(), idle),
    pauseInTurn: async () => {
      using _turn = sandboxes.hold(threadId)
      await pausing.pause(await present(), idle)
    },
    settlePause: async () => pausing.settle(await present()),
    adoptPause: async () => pausing.adopt(await present()),
    noteEnd: async (actual: Pick<HostSandbox, 'lastBootEnd'> | undefined) => {
      const row = await present()
      return await state.transition(row, endedEvent(row, actual))
    },
    restart: () => lifecycle.restart(threadId),
    rewind: (cause: 'rewound' | 'rewind-undone') =>
      state.rewindSandbox({ ...order, manifestJson: '{"then":1}', cause }),
    fork: async (cause?: 'from-agent') => {
      const source = { ...sandbox, id: 'source', idle_pause_minutes: 7, own_limits_json: '{"cpus":1}' }
      await state.forkSandbox({ source, snapshotId: null, threadId, ...(cause && { cause }) })
    },
  }
}

function lowerActs(
  { store, host, recorder }: Collaborators,
  { transition, sandboxes, pausing, demotions }: StateFeature,
) {
  const present = async () => (await store.find(threadId)) as Sandbox
  const demotion = makeDemotion({
    store,
    host,
    transition,
    settings: { values: async () => ({ rescueSeconds: 1, rescueMebibytes: 1, rescueVariableMebibytes: 1 }) as never },
    underWay: demotions,
    logger,
    isWanted: () => false,
  })
  const erasing = { store, host, transition, forgetArchive: async () => {} }
  const removal = { ...erasing, system, recorder, announce: () => {}, isKept: async () => true }
  return {
    demote: async (why: 'time' | 'budget') => demotion.demote(await present(), why),
    erase: () => eraseSandbox(erasing, threadId),
    removeFiles: async () => removeFiles(removal, await present(), 30),
    reconcile: (actual: readonly HostSandbox[]) =>
      reconcile(
        {
          store,
          host,
          sandboxes,
          pausing,
          transition,
          isDemoting: () => false,
          otherSandboxes: async () => [],
          logger,
          onHostChange: () => {},
          onEvent: async () => {},
          applyEgress: async () => {},
          applyLimits: async () => {},
        },
        actual,
      ),
  }
}

export type TransitionActs = ReturnType<typeof stateActs> & { clear(): Promise<unknown> }

/** Background work waits only for the database and for responses that are already available. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function hostOf(answers: HostAnswers, steps: string[]): HostClient {
  const quiet = ['get', 'info', 'transport']
  const call =
    (name: string) =>
    async (...args: unknown[]) => {
      const answer = answers[name as keyof HostClient]
      if (!quiet.includes(name)) steps.push(`host ${name} ${JSON.stringify(args[1] ?? null)}`)
      if (answer === undefined) throw Object.assign(new Error(`the host was not to be asked for ${name}`))
      return answer()
    }
  return new Proxy({} as HostClient, {
    get: (_, name) => (name === 'transport' ? () => ({}) : call(String(name))),
  })
}

function recorderOf(steps: string[]): LifecycleRecorder {
  return {
    record: async (_, { code, params = {} }) => {
      const measured = params.durationMs === undefined ? params : { ...params, durationMs: 0 }
      steps.push(`line ${code} ${JSON.stringify(measured)}`)
    },
    reportWake: async () => {},
    finishReport: async () => {},
  }
}

function noticesOf(steps: string[]): ThreadLog {
  return {
    append: async (_: string, events: readonly { entry: { code: string; params: object; turnId: string } }[]) => {
      for (const { entry } of events) steps.push(`notice ${entry.code} ${JSON.stringify(entry.params)} ${entry.turnId}`)
    },
  } as unknown as ThreadLog
}

const constant = ['id', 'thread_id', 'created_at', 'cpus', 'processes', 'disk_bytes']

function rowText(row: object | undefined, memory: object | undefined): string {
  if (row === undefined) return 'none'
  const shown = Object.entries({ ...row, ...memory, sandbox_id: null })
    .filter(([name, value]) => !constant.includes(name) && value !== null && value !== 0)
    .filter(([name, value]) => name !== 'memory_bytes' || value !== defaultSandboxLimits.memoryBytes)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return shown.join(' ').replaceAll(String(now), 'now')
}

/** A sandbox as the host has it. */
export function hostSandbox(more: Partial<HostSandbox> = {}): HostSandbox {
  return { ...stopped(sandboxId), ...more }
}
