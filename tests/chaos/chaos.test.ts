import { repeats, seeded } from '@threadbox/testkit/repeats'
import { expect, test } from 'vitest'
import { runChaos } from './chaos.ts'
import { describeRecovery } from './recovery.ts'

/** The short version of `./threadbox chaos`. */
const kills = repeats({ what: 'random kills under load', byDefault: 3, full: 25 })

test(`A1 G10: ${kills} random kills under load lose nothing acknowledged and leave nothing behind`, {
  timeout: 900_000,
}, async () => {
  const seed = Math.floor(seeded('chaos').between(0, 1_000_000))
  const result = await runChaos({ seed, kills, minutes: 6, threads: 3, log: () => undefined })
  console.log(`seed ${seed}, acknowledged ${result.acknowledged}, pauses ${result.pauses}\n${describeRecovery(result)}`)
  expect(result.problems).toEqual([])
  expect(result.verdict).toBe('lost 0, duplicated 0, leaked 0, escaped 0, misused 0')
  expect(result.acknowledged).toBeGreaterThan(0)
})
