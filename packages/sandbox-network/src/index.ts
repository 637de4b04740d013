export { addressIn, firstFreeAddress, makeAddressPool } from './address-pool.logic.ts'
export { endOf } from './child-end.ts'
export { isRelayed, parseNameServers } from './dns-policy.logic.ts'
export { findMissing } from './find-missing.ts'
export type { FirewallSettings, Proxy } from './firewall.logic.ts'
export { type ForwardBlock, findForwardBlocks } from './host-network.ts'
export {
  makeSandboxNetwork,
  prepareFreePool,
  removeNetworkOf,
  type SandboxNetworkOptions,
} from './linux-sandbox-network.ts'
export { findUndenied } from './machine-network.ts'
export type { NamesAsked, RefusedReason } from './names-asked.logic.ts'
export { processLimits } from './process-limits.ts'
export {
  addressInUse,
  attachedToOtherAddress,
  noAddressLeft,
  notAttached,
  poolInvalid,
} from './sandbox-network.errors.ts'
export type { EgressPolicy, NameRelay, NetworkAttachment, SandboxNetwork } from './sandbox-network.ts'
