import { isThreadboxError } from '@threadbox/errors'
import {
  chooseFreePool,
  makeSandboxNetwork,
  type SandboxNetwork,
  type SandboxNetworkOptions,
} from '@threadbox/sandbox-network'
import type { FactsStore } from '../state/facts.store.ts'

/** Two installations that start at the same moment may choose the same range; more than a few times is no accident. */
const attempts = 5

/**
 * The network in the range that this installation has. The first time it is the one that is set, or one that is free;
 * it is kept for ever, because sandboxes own addresses of it.
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
