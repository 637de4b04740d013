import type { AwakeDecision, LifecyclePolicy } from '@threadbox/domain'
import type { NoticeEntry } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { Sandbox } from '../state/sandbox.logic.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'

/** Adds the server’s notices about a sandbox to its thread. */
export type Announcements = {
  limitNear(row: Sandbox, decision: AwakeDecision, policy: LifecyclePolicy): Promise<void>
  pausedAtLimit(row: Sandbox, hours: number): Promise<void>
  removalNear(row: Sandbox, removedAt: number): Promise<void>
  notify(threadId: string, code: NoticeEntry['code'], params: NoticeEntry['params']): Promise<void>
}

export function makeAnnouncements(dependencies: {
  store: SandboxStore
  log: ThreadLog
  system: System
  lastTurnId: (threadId: string) => Promise<string | undefined>
}): Announcements {
  const { store, log, system } = dependencies
  const notify: Announcements['notify'] = async (threadId, code, params) => {
    const turnId = (await dependencies.lastTurnId(threadId)) ?? ''
    const entry: NoticeEntry = { id: system.newId('entry'), turnId, at: system.now(), kind: 'notice', code, params }
    await log.append(threadId, [{ type: 'entry-added', entry }])
  }
  return {
    notify,
    // Marked first: announcing twice after a crash is worse than losing an announcement.
    limitNear: async (row, decision, policy) => {
      await store.set(row.id, { limit_announced: 1 })
      const process = decision.reasons.find(({ reason }) => reason === 'cpu')?.detail ?? ''
      const params = { pauseAt: Math.round(decision.latestPauseAt), hours: policy.maxAwakeHours, process }
      await notify(row.thread_id, 'awake-limit-near', params)
    },
    pausedAtLimit: (row, hours) => notify(row.thread_id, 'sandbox-paused', { cause: 'awake-limit', hours }),
    // Announced first: files are never removed without an announcement.
    removalNear: async (row, removedAt) => {
      await notify(row.thread_id, 'retention-near', { removedAt: Math.round(removedAt) })
      await store.set(row.id, { retention_announced_at: system.now() })
    },
  }
}
