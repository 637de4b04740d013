import {
  makeSandboxNetwork,
  prepareFreePool,
  type SandboxNetwork,
  type SandboxNetworkOptions,
} from '@threadbox/sandbox-network'
import type { FactsStore } from '../state/facts.store.ts'

/**
 * Opens the network in this installation's range. At first that is the configured range, or a free one; it is kept
 * forever, because sandboxes own addresses in it.
 */
export async function openNetwork(
  options: Omit<SandboxNetworkOptions, 'pool'> & { facts: FactsStore; configuredPool: string },
): Promise<{ network: SandboxNetwork; pool: string }> {
  const { facts, configuredPool, ...rest } = options
  const known = (await facts.find('networkPool')) ?? configuredPool
  const opened =
    known === '' ? await prepareFreePool(rest) : { network: makeSandboxNetwork({ ...rest, pool: known }), pool: known }
  await facts.set('networkPool', opened.pool)
  return opened
}
