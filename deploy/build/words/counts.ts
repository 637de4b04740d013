import type { Hit } from './text.ts'

/** Number of known hits by path and rule. It only falls; when it is empty, the file is deleted. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

export function countHits(hits: readonly Hit[]): Counts {
  const counts: Record<string, Record<string, number>> = {}
  for (const { path, rule } of hits.toSorted(byPathAndRule)) {
    counts[path] ??= {}
    counts[path][rule] = (counts[path][rule] ?? 0) + 1
  }
  return counts
}

/** One line per path, so that changes of two files rarely conflict. */
export function countsText(counts: Counts): string {
  const lines = Object.entries(counts).map(([path, rules]) => `  ${JSON.stringify(path)}: ${JSON.stringify(rules)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

/** `more`: hits of a rule in a file with more of them than known. `fewer`: known counts that must be lowered. */
export function compareCounts(known: Counts, hits: readonly Hit[]): { more: Hit[]; fewer: string[] } {
  const found = countHits(hits)
  const more = hits.filter(({ path, rule }) => (found[path]?.[rule] ?? 0) > (known[path]?.[rule] ?? 0))
  const fewer = Object.entries(known).flatMap(([path, rules]) =>
    Object.entries(rules)
      .filter(([rule, count]) => (found[path]?.[rule] ?? 0) < count)
      .map(([rule, count]) => `${path}: ${rule}: ${found[path]?.[rule] ?? 0} of ${count} known hits remain`),
  )
  return { more, fewer }
}

/** Rules with more hits than known in all files together. Moving a text does not count, nor does a rule without counts. */
export function grownRules(known: Counts, hits: readonly Hit[]): string[] {
  const [before, after] = [totals(known), totals(countHits(hits))]
  return Object.keys(before).filter((rule) => (after[rule] ?? 0) > (before[rule] ?? 0))
}

function totals(counts: Counts): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const rules of Object.values(counts)) {
    for (const [rule, count] of Object.entries(rules)) sums[rule] = (sums[rule] ?? 0) + count
  }
  return sums
}

function byPathAndRule(left: Hit, right: Hit): number {
  const [one, other] = [`${left.path}\t${left.rule}`, `${right.path}\t${right.rule}`]
  return one < other ? -1 : one > other ? 1 : 0
}
