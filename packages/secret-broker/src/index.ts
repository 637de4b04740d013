export { type Authority, type AuthorityFiles, createAuthorityFiles, makeAuthority } from './authority.ts'
export { type Broker, makeBroker } from './broker.ts'
export type { BrokeredConnection, BrokerOptions, SecretUse } from './session.ts'
