/**
 * The boots that serve now: what the gateway needs to reach a sandbox. A boot enters when its guest is ready and leaves
 * when it has ended; leaving aborts `ended`, which ends every stream that goes through the gateway.
 */
export type ActiveBoot = {
  bootId: string
  sandboxId: string
  startedAt: number
  address: string
  accessToken: string
  /** Aborted, with the error for open streams as its reason, when the boot ends. */
  ended: AbortSignal
}

export type ActiveBoots = {
  find(sandboxId: string): ActiveBoot | undefined
  add(boot: Omit<ActiveBoot, 'ended'>): void
  /** Ends the streams of a boot. Another boot of the same sandbox is left alone. */
  remove(options: { sandboxId: string; bootId: string; reason: Error }): void
  count(): number
}

export function makeActiveBoots(): ActiveBoots {
  const boots = new Map<string, { boot: ActiveBoot; controller: AbortController }>()
  return {
    find: (sandboxId) => boots.get(sandboxId)?.boot,
    add: (boot) => {
      const controller = new AbortController()
      boots.set(boot.sandboxId, { boot: { ...boot, ended: controller.signal }, controller })
    },
    remove: ({ sandboxId, bootId, reason }) => {
      const entry = boots.get(sandboxId)
      if (entry?.boot.bootId !== bootId) return
      boots.delete(sandboxId)
      entry.controller.abort(reason)
    },
    count: () => boots.size,
  }
}
