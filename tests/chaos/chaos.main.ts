import { parseArgs } from 'node:util'
import buildProgramsOnce from '../stack/built-programs.ts'
import { runChaos } from './chaos.ts'
import { describeRecovery } from './recovery.ts'

/**
 * `./threadbox chaos [--minutes M] [--kills N] [--seed S] [--threads T]`: ends after ten minutes if neither is given,
 * and exits with 1 unless all counts are 0.
 */
const { minutes, seed, kills: mostKills, threads } = readArguments()
console.log(`seed ${seed}`)
const removePrograms = await buildProgramsOnce()
const result = await runChaos({
  seed,
  minutes: minutes ?? (mostKills === undefined ? 10 : Number.POSITIVE_INFINITY),
  kills: mostKills ?? Number.POSITIVE_INFINITY,
  threads,
  log: (line) => console.log(line),
})
console.log(
  `Acknowledged lines: ${result.acknowledged}, pauses: ${result.pauses}, deleted threads: ${result.deletions}`,
)
console.log(describeRecovery(result))
for (const problem of result.problems) console.log(`PROBLEM ${problem}`)
console.log(result.verdict)
await removePrograms()
process.exitCode = result.isClean ? 0 : 1

function readArguments() {
  const number = { type: 'string' } as const
  try {
    const { values } = parseArgs({ options: { minutes: number, kills: number, seed: number, threads: number } })
    return {
      minutes: numberOf('--minutes', values.minutes),
      kills: numberOf('--kills', values.kills),
      seed: numberOf('--seed', values.seed) ?? Date.now() % 1_000_000,
      threads: numberOf('--threads', values.threads) ?? 5,
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`✗ ${error.message}`)
    process.exit(2)
  }
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+(\.\d+)?$/.test(text)) throw new TypeError(`${option} must be a number, not '${text}'.`)
  return Number(text)
}
