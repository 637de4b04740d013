import type { Grant } from '@threadbox/protocol/egress'

/** A request in flight: from its head until its response ended. */
export type Exchange = {
  sandboxId: string
  /** Grants whose values it may have sent. */
  grants: readonly Grant[]
  /** Ends both sides immediately. */
  end(): void
}

/** The requests in flight, so that those of a removed grant end. */
export type Exchanges = {
  add(exchange: Exchange): void
  remove(exchange: Exchange): void
  /** Ends the sandbox’s requests with a grant that is no longer exactly among these. */
  endWithout(sandboxId: string, grants: readonly Grant[]): void
}

/** True if the grant is exactly among these. */
export function isAmong(grant: Grant, grants: readonly Grant[]): boolean {
  const text = JSON.stringify(grant)
  return grants.some((other) => other === grant || JSON.stringify(other) === text)
}

export function makeExchanges(): Exchanges {
  const bySandbox = new Map<string, Set<Exchange>>()
  return {
    add: (exchange) => {
      const known = bySandbox.get(exchange.sandboxId) ?? new Set()
      bySandbox.set(exchange.sandboxId, known.add(exchange))
    },
    remove: (exchange) => {
      const known = bySandbox.get(exchange.sandboxId)
      known?.delete(exchange)
      if (known?.size === 0) bySandbox.delete(exchange.sandboxId)
    },
    endWithout: (sandboxId, grants) => {
      for (const exchange of [...(bySandbox.get(sandboxId) ?? [])]) {
        if (exchange.grants.some((grant) => !isAmong(grant, grants))) exchange.end()
      }
    },
  }
}
