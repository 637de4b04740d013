import { isExchangeCause, type SurvivalItem, type SurvivalReport } from '@threadbox/sdk'

type Outcome = SurvivalItem['outcome']
type Kind = SurvivalItem['kind']

/** Whether memory came through: the thread line is dashed then, and broken otherwise. */
export function isMemoryKept(report: Pick<SurvivalReport, 'from'>): boolean {
  return report.from === 'frozen' || report.from === 'memory'
}

/** Where it did not sleep, but is what it was at an earlier moment, or before that rewind; undefined: no such thing. */
export function exchangedWithMemory(
  report: Pick<SurvivalReport, 'from' | 'cause'>,
): 'rewound' | 'rewind-undone' | undefined {
  if (!isMemoryKept(report) || !isExchangeCause(report.cause?.code)) return undefined
  return report.cause?.code === 'rewound' ? 'rewound' : 'rewind-undone'
}

/** One figure of the line: `3 processes`, or with `kind` null a number of things of any kind. */
export type LineCount = { kind: Kind | null; count: number }
/** The parts of the one line, in order; each is said with its outcome: `3 processes, 41 variables kept`. */
export type LinePart = { outcome: Outcome; counts: LineCount[] }

/** The kinds that a person recognises by number. Others are in the list and not in the line. */
const lineKinds = ['process', 'service', 'variable', 'connection'] as const satisfies readonly Kind[]

/**
 * What the line says after how it woke. Kept, rescued and restarted things are counted by kind; what was lost or not
 * looked at is one number over all kinds, so that nothing lost can be missing from it.
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

/** How many things of any kind had this outcome; of all, also of those that are not listed. */
export function countOf(report: SurvivalReport, outcome: Outcome): number {
  return Object.values(report.counts).reduce((sum, counts) => sum + (counts?.[outcome] ?? 0), 0)
}

/** One group of the card. `unlisted` is how many more there were than the report names. */
export type ReportGroup = { outcome: Outcome; items: SurvivalItem[]; count: number; unlisted: number }

const groupOrder = ['lost', 'unchecked', 'rescued', 'restarted', 'kept'] as const satisfies readonly Outcome[]

/** The groups of the card that have something in them, what was lost first. */
export function groupsOf(report: SurvivalReport): ReportGroup[] {
  return groupOrder.flatMap((outcome) => {
    const items = report.items.filter((item) => item.outcome === outcome)
    const count = Math.max(items.length, countOf(report, outcome))
    return count === 0 ? [] : [{ outcome, items, count, unlisted: count - items.length }]
  })
}

/** What was kept, one line per kind with the first names, so that a thousand files are one line until it is opened. */
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

/** A report opens by itself only while it is the newest and has something to say that a person may have to act on. */
export function opensByItself(report: SurvivalReport, isLatest: boolean): boolean {
  return isLatest && report.status === 'complete' && countOf(report, 'lost') > 0
}

/** What was lost and can be rebuilt by the agent: everything but files and connections. */
export function rebuildable(report: SurvivalReport): SurvivalItem[] {
  const kinds: readonly Kind[] = ['process', 'service', 'variable', 'shell', 'environment', 'package']
  return report.items.filter((item) => item.outcome === 'lost' && kinds.includes(item.kind))
}
