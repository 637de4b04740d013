export * from './disk-store.ts'
