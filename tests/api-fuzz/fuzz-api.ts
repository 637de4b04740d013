import { senders } from './api-under-test.ts'
import { keepApiCase } from './kept-api-cases.ts'
import { type ApiFuzz, fuzzApi } from './schemathesis.ts'

/** Random requests to each route in one round, about a minute’s work per sender. */
const examples = 30

/**
 * Sends random requests to the API as each sender in turn, with a new seed per round, until the time is over; what has
 * begun is ended. Keeps what fails. Returns one line per run, and whether all passed.
 */
export async function fuzzApiFor(options: { milliseconds: number; seed: number }): Promise<{
  lines: string[]
  isPassed: boolean
}> {
  const ends = performance.now() + options.milliseconds
  const lines: string[] = []
  let isPassed = true
  for (let round = 0; round === 0 || performance.now() < ends; round += 1) {
    const sender = senders[round % senders.length] ?? 'member'
    const fuzz: ApiFuzz = { sender, seed: options.seed + round, examples, isWide: round < senders.length }
    const found = await fuzzApi(fuzz)
    const requests = Object.values(found.statuses).flatMap((counts) => Object.values(counts))
    const total = requests.reduce((sum, count) => sum + count, 0)
    isPassed &&= found.isPassed
    if (found.isPassed) lines.push(`ok api as ${sender}: ${total} requests, seed ${fuzz.seed}`)
    else lines.push(`FAILED api as ${sender}, seed ${fuzz.seed}`, found.output, ...kept(fuzz, found.failed))
  }
  return { lines, isPassed }
}

function kept(fuzz: ApiFuzz, routes: string[]): string[] {
  return routes.length === 0 ? [] : [`  kept in ${keepApiCase({ ...fuzz, routes })}`]
}
