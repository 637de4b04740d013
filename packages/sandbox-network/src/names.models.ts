import { createHash } from 'node:crypto'
import { networkIdInvalid } from './sandbox-network.errors.ts'

/**
 * Names that the machine sees. All begin with the installation's id, so that one installation never touches another's.
 * Interface names have 15 characters at most: a sandbox's is a hash of its id, and the id itself is the alias of the
 * interface, which also says that attaching was finished.
 */
export type NetworkNames = {
  table: string
  interfacePrefix: string
  namespacePrefix: string
  interfaceOf(sandboxId: string): string
  namespaceOf(sandboxId: string): string
}

const hashLength = 7

export function makeNetworkNames(installation: string): NetworkNames {
  if (!/^[a-z0-9]{6}$/.test(installation)) throw networkIdInvalid({ id: installation })
  return {
    table: `threadbox_${installation}`,
    interfacePrefix: `tb${installation}`,
    namespacePrefix: `tb-${installation}-`,
    interfaceOf: (sandboxId) => `tb${installation}${hashOf(checkId(sandboxId))}`,
    namespaceOf: (sandboxId) => `tb-${installation}-${checkId(sandboxId)}`,
  }
}

/** 36 bits: with 4095 sandboxes two share a name once in eight thousand installations; attaching then refuses. */
function hashOf(sandboxId: string): string {
  const number = createHash('sha256').update(sandboxId).digest().readUIntBE(0, 6)
  return number.toString(36).padStart(10, '0').slice(-hashLength)
}

function checkId(sandboxId: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(sandboxId)) throw networkIdInvalid({ id: sandboxId })
  return sandboxId
}
