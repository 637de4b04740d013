export { becomeUser } from './become-user.ts'
export { type EventStream, makeEventStream } from './event-stream.ts'
export { lasting, makeOrdersServer } from './orders-server.ts'
export { listenOnUnixSocket } from './unix-socket.ts'
