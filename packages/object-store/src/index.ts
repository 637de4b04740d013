export { openDirectoryStore } from './directory-store.ts'
export { storeUnreachable } from './object-store.errors.ts'
export { contentOf, type ObjectStore } from './object-store.ts'
export { openStore, type StoreAccess } from './open-store.ts'
