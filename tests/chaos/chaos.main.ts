import { parseArgs } from 'node:util'
import { percentile } from '../performance/figure.ts'
import { runChaos } from './chaos.ts'

/**
 * `./threadbox chaos [--minutes M] [--kills N] [--seed S] [--threads T]`: ends after ten minutes if neither is given, and
 * exits with 1 unless the verdict is 0 throughout.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string' },
    threads: { type: 'string', default: '5' },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const result = await runChaos({
  seed,
  minutes: Number(values.minutes ?? (values.kills === undefined ? 10 : Number.POSITIVE_INFINITY)),
  kills: Number(values.kills ?? Number.POSITIVE_INFINITY),
  threads: Number(values.threads),
  log: (line) => console.log(line),
})
const kills = Object.entries(result.kills).map(([victim, count]) => `${count} × ${victim}`)
console.log(`Kills: ${kills.join(', ')}`)
console.log(`Acknowledged lines: ${result.acknowledged}; pauses ${result.pauses}; deleted threads ${result.deletions}`)
const [median, slowest] = [percentile(result.recoveryMs, 0.5), Math.max(...result.recoveryMs)]
console.log(`Usable again: p50 ${median} ms, slowest ${slowest} ms`)
for (const problem of result.problems) console.log(`PROBLEM ${problem}`)
console.log(result.verdict)
process.exitCode = result.isClean ? 0 : 1
