import { isExchangeCause, type SurvivalItem, type SurvivalReport } from '@threadbox/sdk'

type Outcome = SurvivalItem['outcome']
type Kind = SurvivalItem['kind']

/** True if memory was restored: the thread line is dashed then, and broken otherwise. */
export function isMemoryKept(report: Pick<SurvivalReport, 'from'>): boolean {
  return report.from === 'frozen' || report.from === 'memory'
}

/**
 * For a sandbox that didn’t sleep but was rewound: to an earlier moment, or back to before that rewind. Undefined
 * otherwise.
 */
export function exchangedWithMemory(
  report: Pick<SurvivalReport, 'from' | 'cause'>,
): 'rewound' | 'rewind-undone' | undefined {
  if (!isMemoryKept(report) || !isExchangeCause(report.cause?.code)) return undefined
  return report.cause?.code === 'rewound' ? 'rewound' : 'rewind-undone'
}

/** One figure of the line: `3 processes`, or a count over all kinds if `kind` is null. */
export type LineCount = { kind: Kind | null; count: number }
/** The parts of the summary line, in order, each with its outcome: `3 processes, 41 variables kept`. */
export type LinePart = { outcome: Outcome; counts: LineCount[] }

/** The kinds that the summary line counts. Others are only in the list. */
const lineKinds = ['process', 'service', 'variable', 'connection'] as const satisfies readonly Kind[]

/**
 * The summary line after the kind of wake. Kept, rescued and restarted items are counted by kind. Lost and unchecked
 * ones are one number over all kinds, so that no loss is missing from it.
 */
export function linePartsOf(report: SurvivalReport): LinePart[] {
  const byKind = (outcome: Outcome): LinePart[] => {
    const counts = lineKinds.flatMap((kind) => {
      const count = report.counts[kind]?.[outcome] ?? 0
      return count === 0 ? [] : [{ kind, count }]
    })
    return counts.length === 0 ? [] : [{ outcome, counts }]
  }
  const inAll = (outcome: Outcome): LinePart[] => {
    const count = countOf(report, outcome)
    return count === 0 ? [] : [{ outcome, counts: [{ kind: null, count }] }]
  }
  return [...byKind('kept'), ...byKind('rescued'), ...byKind('restarted'), ...inAll('lost'), ...inAll('unchecked')]
}

/** The number of items of any kind with this outcome, including those that the report doesn’t list. */
export function countOf(report: SurvivalReport, outcome: Outcome): number {
  return Object.values(report.counts).reduce((sum, counts) => sum + (counts?.[outcome] ?? 0), 0)
}

/** One group of the card. `unlisted`: how many more items there were than the report names. */
export type ReportGroup = { outcome: Outcome; items: SurvivalItem[]; count: number; unlisted: number }

const groupOrder = ['lost', 'unchecked', 'rescued', 'restarted', 'kept'] as const satisfies readonly Outcome[]

/** The groups of the card that aren’t empty, losses first. */
export function groupsOf(report: SurvivalReport): ReportGroup[] {
  return groupOrder.flatMap((outcome) => {
    const items = report.items.filter((item) => item.outcome === outcome)
    const count = Math.max(items.length, countOf(report, outcome))
    return count === 0 ? [] : [{ outcome, items, count, unlisted: count - items.length }]
  })
}

/**
 * Kept items of one kind in one line with the first names, so that a thousand files are one line until it is opened.
 */
export type KindSummary = { kind: Kind; count: number; items: SurvivalItem[] }

export function kindsOf(report: SurvivalReport, group: ReportGroup): KindSummary[] {
  const kinds = new Map<Kind, SurvivalItem[]>()
  for (const item of group.items) kinds.set(item.kind, [...(kinds.get(item.kind) ?? []), item])
  for (const kind of Object.keys(report.counts) as Kind[]) {
    if ((report.counts[kind]?.[group.outcome] ?? 0) > 0 && !kinds.has(kind)) kinds.set(kind, [])
  }
  return [...kinds].map(([kind, items]) => ({
    kind,
    items,
    count: Math.max(items.length, report.counts[kind]?.[group.outcome] ?? 0),
  }))
}

/** True for the newest report if it is complete and contains something you may have to act on. */
export function isOpenByDefault(report: SurvivalReport, isLatest: boolean): boolean {
  return isLatest && report.status === 'complete' && countOf(report, 'lost') > 0
}

/** Lost items that the agent can rebuild: everything but files and connections. */
export function rebuildable(report: SurvivalReport): SurvivalItem[] {
  const kinds: readonly Kind[] = ['process', 'service', 'variable', 'shell', 'environment', 'package']
  return report.items.filter((item) => item.outcome === 'lost' && kinds.includes(item.kind))
}
