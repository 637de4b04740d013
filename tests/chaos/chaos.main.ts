import { parseArgs } from 'node:util'
import { percentile } from '../performance/figure.ts'
import { runChaos } from './chaos.ts'

/** `./threadbox chaos [--minutes N] [--seed S] [--kills K] [--threads T]`: exits with 1 when an invariant broke. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '1000000' },
    threads: { type: 'string', default: '5' },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const result = await runChaos({
  seed,
  minutes: Number(values.minutes),
  kills: Number(values.kills),
  threads: Number(values.threads),
  log: (line) => console.log(line),
})
const kills = Object.entries(result.kills).map(([victim, count]) => `${count} × ${victim}`)
console.log(`Kills: ${kills.join(', ')}`)
console.log(`Acknowledged lines: ${result.acknowledged}; pauses ${result.pauses}; deleted threads ${result.deletions}`)
const [median, slowest] = [percentile(result.recoveryMs, 0.5), Math.max(...result.recoveryMs)]
console.log(`Usable again: p50 ${median} ms, slowest ${slowest} ms`)
for (const problem of result.problems) console.log(`PROBLEM ${problem}`)
process.exitCode = result.problems.length === 0 ? 0 : 1
