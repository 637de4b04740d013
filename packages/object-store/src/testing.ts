export { openDirectoryStore } from './directory-store.ts'
export { describeObjectStore } from './object-store.test-suite.ts'
