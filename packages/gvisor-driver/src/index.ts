export { removeCgroupTree } from './cgroup-tree.ts'
export { cgroupsMissing, runscFailed, runscMissing } from './gvisor.errors.ts'
export { type GvisorDriverOptions, makeGvisorDriver } from './gvisor-driver.ts'
export { checkShiftedIds, type SharedPaths } from './shifted-ids.ts'
