export { type InMemoryDriver, makeInMemoryDriver } from './in-memory-driver.ts'
export { describeSandboxDriver, type SandboxDriverSubject } from './sandbox-driver.test-suite.ts'
