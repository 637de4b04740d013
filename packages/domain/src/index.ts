export { type AwakeReason, awakeReasons } from './activity.ts'
export { type IdKind, idPrefixes, isId, makeId } from './ids.ts'
export {
  containsIpv4,
  formatIpv4,
  formatIpv4Range,
  type Ipv4Range,
  ipv4RangeSize,
  overlapsIpv4,
  parseIpv4,
  parseIpv4Range,
} from './ipv4.ts'
export {
  hasBoot,
  nextSandboxState,
  type SandboxEvent,
  type SandboxState,
  sandboxEvents,
  sandboxStates,
  sandboxTransitions,
} from './lifecycle.ts'
export {
  type Activity,
  type AsleepDecision,
  type AwakeDecision,
  type AwakeFacts,
  activityWindowMs,
  type ClockReading,
  chooseDemotions,
  clockJumpMs,
  decideAsleep,
  decideAwake,
  defaultLifecyclePolicy,
  type LifecyclePolicy,
  type SavedMemory,
} from './lifecycle-policy.ts'
export { backstopLimits, defaultSandboxLimits, memoryWatchdogShare, type SandboxLimits } from './limits.ts'
export { atPorts, coversName, splitNetworkEntry } from './network-entry.ts'
export { type NameProblem, parseNetworkEntry } from './network-name.ts'
export {
  allowedPrivateAddresses,
  allowsName,
  defaultNetworkPolicy,
  type EffectiveNetwork,
  effectiveNetwork,
  isWithinNetwork,
  type LeveledPolicy,
  type NetworkLevel,
  type NetworkPolicy,
  narrowerNetwork,
  networkLevels,
  widensNetwork,
} from './network-policy.ts'
export { type NetworkPreset, networkPresetIds, networkPresets } from './network-presets.ts'
export {
  isGrantedAddress,
  type PrivateAddress,
  type PrivateAddressProblem,
  parsePrivateAddress,
  rangesOf,
} from './private-address.ts'
export { grantableIpv4Ranges, privateIpv4Ranges, privateIpv6Ranges } from './private-ranges.ts'
export {
  limitsFrom,
  memberLimits,
  noLimits,
  type QuotaLimits,
  type QuotaName,
  type QuotaSources,
  quotaNames,
} from './quotas.ts'
export {
  type Action,
  type ActionRequirement,
  type Allowance,
  actions,
  canManagePerson,
  confirmationMs,
  defaultKeyScopes,
  isKeyScope,
  isPersonRole,
  isWorkspaceRole,
  type KeyScope,
  keyScopes,
  lackOf,
  type PersonRole,
  personRoles,
  roleActionOf,
  roleAllowances,
  roleAllows,
  type Sender,
  type WorkspaceAction,
  type WorkspaceRole,
  workspaceActions,
  workspaceRoles,
} from './roles.ts'
export { nameOfSecretHost, parseSecretHost, type SecretHostProblem } from './secret-host.ts'
export { isReservedSecretName, secretNamePattern } from './secret-name.ts'
export {
  canPinMore,
  chooseMemoryRemovals,
  chooseSnapshotRemovals,
  type KeptMemory,
  type KeptSnapshot,
  type MemorySnapshotLimits,
  maxMemorySnapshotBytes,
  maxPinsPerThread,
  type SnapshotLimits,
} from './snapshot-policy.ts'
