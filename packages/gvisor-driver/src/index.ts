export { readSandboxSeconds } from './cgroup-cpu.ts'
export { cgroupsMissing, runscFailed, runscMissing } from './gvisor.errors.ts'
export { type GvisorDriverOptions, makeGvisorDriver, removeDriverOf, removeUnusedSwapOf } from './gvisor-driver.ts'
export { checkShiftedIds, type SharedPaths } from './shifted-ids.ts'
