import type { AwakeDecision, LifecyclePolicy } from '@threadbox/domain'
import type { NoticeEntry } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { Sandbox } from '../state/sandbox.models.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'

/** What a thread says by itself about its sandbox. */
export type Announcements = {
  limitNear(row: Sandbox, decision: AwakeDecision, policy: LifecyclePolicy): Promise<void>
  pausedAtLimit(row: Sandbox, hours: number): Promise<void>
  removalNear(row: Sandbox, removedAt: number): Promise<void>
  tell(threadId: string, code: NoticeEntry['code'], params: NoticeEntry['params']): Promise<void>
}

export function makeAnnouncements(dependencies: {
  store: SandboxStore
  log: ThreadLog
  system: System
  lastTurnId: (threadId: string) => Promise<string | undefined>
}): Announcements {
  const { store, log, system } = dependencies
  const tell: Announcements['tell'] = async (threadId, code, params) => {
    const turnId = (await dependencies.lastTurnId(threadId)) ?? ''
    const entry: NoticeEntry = { id: system.newId('entry'), turnId, at: system.now(), kind: 'notice', code, params }
    await log.append(threadId, [{ type: 'entry-added', entry }])
  }
  return {
    tell,
    // Marked first: saying it twice after a crash is worse than the rare announcement that a crash swallows.
    limitNear: async (row, decision, policy) => {
      await store.set(row.id, { limit_announced: 1 })
      const process = decision.reasons.find(({ reason }) => reason === 'cpu')?.detail ?? ''
      const params = { pauseAt: Math.round(decision.latestPauseAt), hours: policy.maxAwakeHours, process }
      await tell(row.thread_id, 'awake-limit-near', params)
    },
    pausedAtLimit: (row, hours) => tell(row.thread_id, 'sandbox-paused', { cause: 'awake-limit', hours }),
    // Told first: files are never removed without it.
    removalNear: async (row, removedAt) => {
      await tell(row.thread_id, 'retention-near', { removedAt: Math.round(removedAt) })
      await store.set(row.id, { retention_announced_at: system.now() })
    },
  }
}
