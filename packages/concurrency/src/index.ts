export { type KeyedLock, makeKeyedLock } from './keyed-lock.ts'
