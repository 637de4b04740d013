import type { ReadSpace } from './directory-disk-store.ts'

export { makeDirectoryVolumes } from './directory-disk-store.ts'
export { describeDiskStore } from './disk-store.test-suite.ts'
export type { DiskStoreAbilities } from './disk-store-abilities.ts'
export { makeVolumeDiskStore } from './volume-disk-store.ts'

/** An almost empty file system of 1 TiB, so that tests do not depend on the machine’s disk. */
export const roomySpace: ReadSpace = async () => ({ totalBytes: 2 ** 40, availableBytes: 2 ** 40 - 2 ** 30 })
