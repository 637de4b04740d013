export { type GatewayServers, makeGatewayServers } from './gateway-servers.ts'
