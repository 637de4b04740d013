export { type KeyedLock, makeKeyedLock } from './keyed-lock.ts'
export { makeSerial } from './serial.ts'
export { makeSingleFlight } from './single-flight.ts'
