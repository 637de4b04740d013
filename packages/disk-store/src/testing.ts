export { type DiskStoreAbilities, describeDiskStore } from './disk-store.test-suite.ts'
