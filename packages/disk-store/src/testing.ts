export { makeDirectoryVolumes } from './directory-disk-store.ts'
export { type DiskStoreAbilities, describeDiskStore } from './disk-store.test-suite.ts'
export { makeVolumeDiskStore } from './volume-disk-store.ts'
