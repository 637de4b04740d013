/** What other areas use of threads: the log, permissions, and where a thread belongs. */
export {
  type Access,
  type AccessSubject,
  isWithinReach,
  subjectOfThread,
  type ThreadPlaceColumns,
} from './access/access.ts'
export { canWorkSql } from './access/can-work.ts'
export type { Home } from './access/notify-members.ts'
export { roleMissing, workspaceNotFound } from './access/workspaces.errors.ts'
export { nameKey } from './access/workspaces.presenter.ts'
export type { Attachments } from './attachments/attachments.usecases.ts'
export { attachmentKey } from './attachments/blob-keys.ts'
export { openKeptOutput, readOutput, tailPrefix } from './attachments/kept-output.ts'
export { outputLimitsOf } from './attachments/output-limits.logic.ts'
export { type OutputLimits, type OutputWriter, openOutputWriter } from './attachments/output-writer.ts'
export { outputKey, readStored, resultBlob } from './attachments/stored-output.ts'
export { markDeleted } from './log/mark-deleted.ts'
export type { LogTransaction, ThreadChange, ThreadLog } from './log/thread-log.ts'
export type { ThreadRows } from './log/thread-rows.ts'
export { threadNotFound } from './log/threads.errors.ts'
export type { ThreadRow, ThreadTables } from './log/threads.table.ts'
export { changerOf } from './network/network-changer.ts'
export type { NetworkPolicies } from './network/network-policies.ts'
export { checkedPolicy as checkedNetworkPolicy } from './network/network-words.logic.ts'
export type { Secrets } from './secrets/secrets.usecases.ts'
export type { ThreadSecretGrants } from './secrets/thread-secrets.ts'
export type { SecretPlace, UsableSecret, UsableSecrets } from './secrets/usable-secrets.ts'
export { idsOf } from './setups/setup-ids.ts'
export type { ThreadSetupTables } from './setups/thread-setups.table.ts'
export type { ThreadSetups } from './setups/thread-setups.ts'
export type { ThreadDrafts } from './threads/thread-drafts.ts'
export { forkedFromOf } from './threads/threads.presenter.ts'
export type { SandboxViews, Threads } from './threads/threads.usecases.ts'
export type { DefaultsOf, ReadDefaults } from './workspaces/sandbox-defaults.ts'
export type { Workspaces } from './workspaces/workspaces.usecases.ts'
