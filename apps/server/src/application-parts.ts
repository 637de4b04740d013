import type { People } from './people/people.ts'
import { tablesOf } from './platform/database/database.ts'
import type { Operations } from './platform/operations/operations.ts'
import type { Platform } from './platform/platform.ts'
import { whatRuns } from './sandboxes/lifecycle/what-runs.ts'
import type { SandboxArea } from './sandboxes/sandboxes.ts'
import { makeSkillParts, type SkillParts } from './skill-parts.ts'
import { makeThreadStore, type ThreadStore } from './threads/log/threads.store.ts'
import type { ThreadTables } from './threads/log/threads.table.ts'
import type { ThreadArea } from './threads/threads.ts'
import { makeTurnStore } from './turns/record/turns.store.ts'
import type { TurnTables } from './turns/record/turns.table.ts'
import { makeSnapshotStore } from './turns/snapshots/snapshots.store.ts'
import type { SnapshotTables } from './turns/snapshots/snapshots.table.ts'
import { makeSnapshots, type Snapshots } from './turns/snapshots/snapshots.usecases.ts'
import { type Installs, makeInstalls } from './workflows/agents/installs.usecases.ts'

/** What turns and workflows are made of. */
export type ThreadParts = Pick<
  ThreadArea,
  'access' | 'attachments' | 'hiddenThreads' | 'log' | 'readDefaults' | 'setups' | 'tellHome' | 'threads' | 'workspaces'
> &
  Pick<SandboxArea, 'hashKeyOf' | 'lifecycle' | 'reports' | 'sandboxes' | 'services' | 'wakeNotes' | 'forkSandbox'> &
  SkillParts & {
    area: ThreadArea
    sandboxArea: SandboxArea
    threadStore: ThreadStore
    sandboxStore: SandboxArea['store']
    changeSandbox: SandboxArea['change']
    userHub: People['userHub']
    operations: Operations
    snapshots: Snapshots
    installs: Installs
  }

/** What a test may want shorter, or longer. */
export type ThreadTimes = {
  undoMs: number
  /** How long a guest may take to say what runs when an answer has ended. */
  glanceMs?: number
}

type Known = { platform: Platform; people: People; area: ThreadArea; sandboxArea: SandboxArea }

export function makeThreadParts(known: Known, options: ThreadTimes & { host: SandboxOptionsHost }): ThreadParts {
  const { platform, people, area, sandboxArea } = known
  const { open, operations, system } = platform
  const { userHub } = people
  const threadStore = makeThreadStore(tablesOf<ThreadTables>(open.database))
  const snapshots = makeSnapshotPart(known, options)
  people.events.on('settings-changed', () => snapshots.trim())
  return {
    ...area,
    ...sandboxArea,
    ...makeSkillParts(known, options),
    area,
    sandboxArea,
    threadStore,
    sandboxStore: sandboxArea.store,
    changeSandbox: sandboxArea.change,
    userHub,
    operations,
    snapshots,
    installs: makeInstalls({ open, log: area.log, threadStore, system, userHub }),
  }
}

type SandboxOptionsHost = Parameters<typeof makeSkillParts>[1]['host']

function makeSnapshotPart(
  { platform, people, area, sandboxArea }: Known,
  { host, glanceMs }: ThreadTimes & { host: SandboxOptionsHost },
): Snapshots {
  const turnStore = makeTurnStore(tablesOf<TurnTables>(platform.open.database))
  const { store, hashKeyOf, guest } = sandboxArea
  const inside = { guest, hashKeyOf, memoryOf: store.memory }
  return makeSnapshots({
    store: makeSnapshotStore(tablesOf<SnapshotTables>(platform.open.database)),
    host,
    sandboxOf: (threadId) => store.find(threadId),
    whatRuns: (sandbox, signal) => whatRuns(inside, sandbox, signal),
    turnIds: turnStore.turnIds,
    usedSandbox: async (turnId) => {
      const turn = await turnStore.turn(turnId)
      return turn?.steps.some(({ calls }) => calls.some(({ bootId }) => bootId !== null)) ?? false
    },
    runningTurn: async (threadId) => (await area.rows.findAny(threadId))?.running_turn_id ?? undefined,
    settings: people.settings.values,
    glanceMs,
    system: platform.system,
    logger: platform.logger,
  })
}
