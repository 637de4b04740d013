export {
  bootFailed,
  bootNotRunning,
  bootRunning,
  bootUnknown,
  bootUsed,
  memoryNotSaved,
  memoryUnusable,
} from './sandbox-driver.errors.ts'
export {
  type BootEndCause,
  type BootRequest,
  type BootStatus,
  type CompressionProblem,
  canSaveMemory,
  type MemoryCompression,
  type MemoryImageProblem,
  type MemorySavingDriver,
  type SandboxDriver,
} from './sandbox-driver.ts'
