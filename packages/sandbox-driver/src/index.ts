export { bootFailed, bootNotRunning, bootRunning, bootUnknown, bootUsed } from './sandbox-driver.errors.ts'
export {
  type BootEndCause,
  type BootRequest,
  type BootStatus,
  canSaveMemory,
  type MemorySavingDriver,
  type SandboxDriver,
} from './sandbox-driver.ts'
