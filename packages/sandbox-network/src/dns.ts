/** What the DNS process (`apps/names`) is made of. */
export { makeDnsUpstream, type ResolverAddress, readHostResolvers } from './dns-upstream.ts'
export { serveNames } from './name-server.ts'
export { openNameSockets } from './name-sockets.ts'
export { makeNetworkNames } from './names.logic.ts'
