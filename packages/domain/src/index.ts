export { type AwakeReason, awakeReasons } from './activity.ts'
export { type IdKind, idPrefixes, isId, makeId } from './ids.ts'
export {
  hasBoot,
  nextSandboxState,
  type SandboxEvent,
  type SandboxState,
  sandboxEvents,
  sandboxStates,
  sandboxTransitions,
} from './lifecycle.ts'
export { backstopLimits, defaultSandboxLimits, memoryWatchdogShare, type SandboxLimits } from './limits.ts'
