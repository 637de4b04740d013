/** What other areas use of sandboxes. */
export type { Files } from './files/files.usecases.ts'
export { guestMessageLimits, withGuestProblem } from './host/guest-transport.ts'
export { guestAnswerUnknown, guestResponseTooLarge } from './host/host.errors.ts'
export type { HostClient } from './host/host-client.ts'
export type { Lifecycle } from './lifecycle/lifecycle.usecases.ts'
export { rescueBudgets } from './lifecycle/rescue-budgets.ts'
export {
  nothingRuns,
  type RunningStateDependencies,
  readManifest,
  readRunningState,
  storableManifest,
} from './lifecycle/running-state.ts'
export { commandOf, personsProcesses } from './lifecycle/survival-items.logic.ts'
export type { SurvivalReports } from './lifecycle/survival-reports.ts'
export type { PendingNote, WakeNotes } from './lifecycle/wake-notes.ts'
export type { RefusedNames } from './network/refused-names.ts'
export { makePassSecret } from './previews/pass-secrets.ts'
export { makePreviewNames } from './previews/preview-names.logic.ts'
export type { PreviewTables } from './previews/previews.table.ts'
export type { LifecycleMeasure, SandboxEvents } from './sandboxes.events.ts'
export type { BeginAs, KeptService } from './services/begin-as.ts'
export { serviceFailed } from './services/services.errors.ts'
export type { ServiceRow } from './services/services.table.ts'
export type { Services } from './services/services.usecases.ts'
export { fileIsDirectory, fileNotFound } from './state/file.errors.ts'
export { isDirectoryError } from './state/guest-errors.ts'
export { isUnanswered, type RewindOrder } from './state/rewind-sandbox.ts'
export { type ExchangeCause, limitColumns, type Sandbox, type WakeFacts } from './state/sandbox.logic.ts'
export type { AwakeSandbox, SandboxAccess } from './state/sandbox-access.ts'
export { egressOf } from './state/sandbox-egress.ts'
export type { SandboxReads } from './state/sandbox-reads.ts'
export { hostnameOf, limitsOf } from './state/sandbox-rows.ts'
export type { SandboxTables } from './state/sandboxes.table.ts'
