import { isNamespace, type LinkPlan, namespacePathOf, type RouterPlace, readAlias } from './links.ts'

/**
 * The complete links that this process has made or found, so that no program has to list them. The kernel’s files decide
 * whether a link still exists: another program can have removed it.
 */
export type KnownLinks = {
  /** Undefined if the link is unknown or gone. Starts no program. */
  find(sandboxId: string): Promise<LinkPlan | undefined>
  remember(link: LinkPlan): void
  forget(sandboxId: string): void
  clear(): void
}

export function makeKnownLinks(router: RouterPlace): KnownLinks {
  const links = new Map<string, LinkPlan>()
  return {
    async find(sandboxId) {
      const link = links.get(sandboxId)
      if (link === undefined) return undefined
      const [hasRouter, hasInside, alias] = await Promise.all([
        isNamespace(namespacePathOf(router.namespaceName)),
        isNamespace(namespacePathOf(link.namespaceName)),
        readAlias(router, link.interfaceName),
      ])
      if (hasRouter && hasInside && alias === sandboxId) return link
      if (links.get(sandboxId) === link) links.delete(sandboxId)
      return undefined
    },
    remember: (link) => void links.set(link.sandboxId, link),
    forget: (sandboxId) => void links.delete(sandboxId),
    clear: () => links.clear(),
  }
}
