import { seeded } from '@threadbox/testkit/repeats'
import { expect, test } from 'vitest'
import { type DayReport, runTeamDay } from '../stack/team-day/team-day.ts'

/** The whole day of a team in less than a minute; `./threadbox bench team-day` has the same in 3 minutes, with its figures. */
test('C12: fifteen people work at the same time, two of them greedy, with a backup at noon: nothing is lost or comes twice', async () => {
  const seed = Math.floor(seeded('team-day').next() * 1_000_000)
  const day: DayReport = await runTeamDay({ people: 15, greedy: 2, threadsEach: 4, milliseconds: 40_000, seed })
  expect(day.errors).toEqual([])
  expect(day.messages).toMatchObject({ missing: [], repeated: [] })
  expect(day.messages.sent).toBeGreaterThan(100)
  expect(day.waits.outOfOrder).toEqual([])
  expect(day.backup).toMatchObject({ code: 0, output: expect.stringContaining('stored for') })
}, 300_000)
