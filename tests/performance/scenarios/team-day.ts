import { type DayReport, runTeamDay } from '../../stack/team-day/team-day.ts'
import { emptyFigure, type Figure, percentile } from '../figure.ts'

const MiB = 1024 * 1024

/** Fifteen people, 60 threads, two people who are greedy, and a backup at noon. Throws if anything failed or was lost. */
export async function teamDay({ minutes }: { minutes: number }): Promise<Figure[]> {
  const day = await runTeamDay({ people: 15, greedy: 2, threadsEach: 4, milliseconds: minutes * 60_000, seed: 1 })
  requireWhole(day)
  const lists = figure({ id: 'team-day-list', title: 'List of threads', target: { maxP95: 150 } }, day.lists)
  const words = figure(
    { id: 'team-day-first-words', title: 'First words, after the model’s', target: { maxP95: 1500 } },
    day.firstWords,
  )
  const memory = day.serverMemory.map((bytes) => bytes / MiB)
  const end = figure({ id: 'team-day-memory', title: 'Server’s memory at the end', target: { maxP50: 400 } }, [
    memory.at(-1) ?? Number.NaN,
  ])
  const growth = figure({ id: 'team-day-growth', title: 'Its growth over the last third', target: { maxP50: 20 } }, [
    growthOf(memory.slice(-Math.ceil(memory.length / 3))),
  ])
  const messages = figure({ id: 'team-day-messages', title: 'Messages per second', target: null }, [
    day.messages.sent / (minutes * 60),
  ])
  const waits = figure({ id: 'team-day-waits', title: 'Sandboxes that waited for a place', target: null }, [
    day.waits.count,
  ])
  return [
    lists,
    words,
    { ...end, unit: 'MiB' },
    { ...growth, unit: 'MiB' },
    { ...messages, unit: '/s' },
    { ...waits, unit: 'times' },
  ]
}

function figure(about: Pick<Figure, 'id' | 'title' | 'target'>, samples: number[]): Figure {
  const title = `A team’s day (15 people, 60 threads): ${about.title}`
  return { ...emptyFigure({ ...about, title, floorTitle: null }), samples }
}

/** Medians, because one sample can be just before a garbage collection. */
function growthOf(memory: readonly number[]): number {
  const middle = Math.floor(memory.length / 2)
  return percentile(memory.slice(middle), 0.5) - percentile(memory.slice(0, middle), 0.5)
}

function requireWhole({ errors, messages, waits, backup }: DayReport): void {
  const problems = [
    ...errors,
    ...messages.missing.map((text) => `lost: ${text}`),
    ...messages.repeated.map((text) => `twice: ${text}`),
    ...waits.outOfOrder.map((threadId) => `thread ${threadId} got its place before one that waited longer`),
    ...(backup.code === 0 ? [] : [`backup: ${backup.output}`]),
  ]
  if (problems.length > 0) throw new Error(`${problems.length} problems in the day:\n${problems.join('\n')}`)
}
