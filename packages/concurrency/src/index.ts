export { type KeyedLock, makeKeyedLock } from './keyed-lock.ts'
export { makeSerial } from './serial.ts'
