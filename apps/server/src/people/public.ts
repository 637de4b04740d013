/** What other areas use of people: users, settings, and the audit log. */
export type { Audit, AuditRecord } from './audit/audit.ts'
export { type AuditState, auditAddress, auditChange } from './audit/audit-changes.logic.ts'
export type { HandOverOrder, LeavingPart } from './leaving/belongings.ts'
export type { Leaving } from './leaving/leaving.usecases.ts'
export type { PeopleEvents } from './people.events.ts'
export {
  awakeUsedUp,
  diskUsedUp,
  installationSpendUsedUp,
  modelSpendUsedUp,
  modelUnpriced,
  placeAwaited,
  quotaOfRefusal,
  sandboxesUsedUp,
} from './quotas/quotas.errors.ts'
export type { MeteredQuota, Quotas } from './quotas/quotas.usecases.ts'
export type { SettingValues } from './settings/editable-settings.ts'
export { ownerRequired } from './settings/settings.errors.ts'
export type { Settings } from './settings/settings.ts'
export type { CredentialCheck } from './users/credential-check.ts'
export type { UserHub } from './users/user-hub.ts'
export { keyOutsideWorkspaces } from './users/users.errors.ts'
export type { UserTables } from './users/users.table.ts'
export type { Users } from './users/users.usecases.ts'
