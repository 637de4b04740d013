/**
 * What must never be found. `lost`: acknowledged and gone. `duplicated`: exists twice, was never requested, or a second
 * boot of a sandbox. `leaked`: on the machine after everything was deleted. `escaped`: arrived somewhere that a policy
 * forbids. `misused`: a secret was used without a grant. `stuck`: no thread could be used again in time.
 */
const kinds = ['lost', 'duplicated', 'leaked', 'escaped', 'misused', 'stuck'] as const
export type FindingKind = (typeof kinds)[number]
export type Finding = { kind: FindingKind; what: string }

/** The same item is found again after each later kill; it counts once. */
export function collectFindings() {
  const found = new Map<string, Finding & { when: string }>()
  const count = (kind: FindingKind) => [...found.values()].filter((finding) => finding.kind === kind).length
  return {
    /** Returns the new ones. */
    add(findings: readonly Finding[], when: string): Finding[] {
      const news = findings.filter(({ what }) => !found.has(what))
      for (const finding of news) found.set(finding.what, { ...finding, when })
      return news
    },
    problems: () => [...found.values()].map(({ kind, what, when }) => `${kind} (${when}): ${what}`),
    isClean: () => found.size === 0,
    /** The promised counts come first; `stuck` appears only if it happened. */
    summary(): string {
      const named = kinds.filter((kind) => kind !== 'stuck' || count(kind) > 0)
      return named.map((kind) => `${kind} ${count(kind)}`).join(', ')
    },
  }
}
