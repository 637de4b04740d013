import { isThreadboxError } from '@threadbox/errors'
import {
  chooseFreePool,
  makeSandboxNetwork,
  type SandboxNetwork,
  type SandboxNetworkOptions,
} from '@threadbox/sandbox-network'
import type { FactsStore } from '../state/facts.store.ts'

/**
 * Two installations that start at the same moment can choose the same range; more than a few collisions are not a
 * coincidence.
 */
const attempts = 5

/**
 * Opens the network in this installation's range. At first that is the configured range, or a free one; it is kept
 * forever, because sandboxes own addresses in it.
 */
export async function openNetwork(
  options: Omit<SandboxNetworkOptions, 'pool'> & { facts: FactsStore; configuredPool: string },
): Promise<{ network: SandboxNetwork; pool: string }> {
  const { facts, configuredPool, ...rest } = options
  const known = (await facts.find('networkPool')) ?? configuredPool
  if (known !== '') {
    await facts.set('networkPool', known)
    return { network: makeSandboxNetwork({ ...rest, pool: known }), pool: known }
  }
  for (let attempt = 1; ; attempt++) {
    const pool = await chooseFreePool()
    const network = makeSandboxNetwork({ ...rest, pool })
    try {
      await network.prepare({ keep: new Set() })
    } catch (error) {
      const isTaken = isThreadboxError(error) && ['network.pool-invalid', 'network.command-failed'].includes(error.code)
      if (!isTaken || attempt === attempts) throw error
      continue
    }
    await facts.set('networkPool', pool)
    return { network, pool }
  }
}
