export type { Broker, BrokeredConnection } from './broker.ts'
export { connectTo } from './connect-to.ts'
export { type EgressServers, makeEgressServers } from './egress-servers.ts'
export { makeNameResolver } from './name-resolver.ts'
