export { type InMemoryDriver, makeInMemoryDriver } from './in-memory-driver.ts'
export { describeMemorySavingDriver, type MemorySavingSubject } from './memory-saving.test-suite.ts'
export { describeSandboxDriver, type SandboxDriverSubject } from './sandbox-driver.test-suite.ts'
