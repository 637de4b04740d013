export { passBody } from './pass-body.ts'
export { connectForRelay } from './relay-sockets.ts'
