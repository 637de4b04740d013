import { createHash } from 'node:crypto'
import { networkIdInvalid } from './sandbox-network.errors.ts'

/**
 * Names on the host. All start with the installation’s ID, so that one installation never touches another’s. Interface
 * names have at most 15 characters: a sandbox’s is a hash of its ID, and the ID itself is the alias of the interface,
 * which also marks the attachment as complete.
 */
export type NetworkNames = {
  table: string
  interfacePrefix: string
  namespacePrefix: string
  /** The namespace in which the machine’s ends of all sandboxes’ interfaces are, and all rules about them. */
  routerNamespace: string
  /**
   * The machine’s end of the link to that namespace. Rules of other firewalls that accept `tb<installation>*` apply to it.
   * Its last part is shorter than that of a sandbox’s interface.
   */
  uplinkInterface: string
  interfaceOf(sandboxId: string): string
  namespaceOf(sandboxId: string): string
}

/** The router’s end of the link to the machine. */
export const uplinkName = 'uplink'

/** The DNS server’s port at the router’s address. Policies can’t name it, so no other process in the router needs it. */
export const namesPort = 53

const hashLength = 7

export function makeNetworkNames(installation: string): NetworkNames {
  if (!/^[a-z0-9]{6}$/.test(installation)) throw networkIdInvalid({ id: installation })
  return {
    table: `threadbox_${installation}`,
    interfacePrefix: `tb${installation}`,
    namespacePrefix: `tb-${installation}-`,
    routerNamespace: `tbr-${installation}`,
    uplinkInterface: `tb${installation}${uplinkName}`,
    interfaceOf: (sandboxId) => `tb${installation}${hashOf(checkId(sandboxId))}`,
    namespaceOf: (sandboxId) => `tb-${installation}-${checkId(sandboxId)}`,
  }
}

/** 36 bits: with 4095 sandboxes, two share a name in one of 8000 installations; attaching the second one then fails. */
function hashOf(sandboxId: string): string {
  const number = createHash('sha256').update(sandboxId).digest().readUIntBE(0, 6)
  return number.toString(36).padStart(10, '0').slice(-hashLength)
}

function checkId(sandboxId: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(sandboxId)) throw networkIdInvalid({ id: sandboxId })
  return sandboxId
}
