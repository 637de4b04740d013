import { startTestHost, type TestHost } from '@threadbox/testkit'
import { makeRandom } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bareRunsc } from '../benchmark/drivers/runsc.ts'
import type { Line } from '../benchmark/raw-samples.ts'
import { measureRounds } from '../benchmark/rounds.ts'
import { tasks } from '../benchmark/tasks.ts'
import { placeOf } from '../performance/scenarios/pausing.ts'

/** Its pool has the image and the file system that bare technologies are measured on. */
let host: TestHost
beforeAll(async () => {
  host = await startTestHost()
})
afterAll(() => host?.close())

test('one sample of bare runsc, resumed from its image, proves its memory and its file', async () => {
  const { driver } = await bareRunsc(await placeOf(host)).open()
  await using entered = driver
  const lines: Line[] = []
  await measureRounds({
    entrants: [{ name: 'runsc', hasImage: true, driver: entered }],
    tasks: tasks.filter(({ rows }) => rows.some(({ id }) => id === 'resume-image-64-10')),
    megabytes: 64,
    rounds: 1,
    random: makeRandom(1),
    note: (line) => void lines.push(line),
    onRound: async () => {},
    signal: new AbortController().signal,
  })
  expect(lines).toMatchObject([
    { type: 'sample', row: 'pause-64-10', driver: 'runsc', round: 1, value: expect.any(Number) },
    { type: 'sample', row: 'resume-image-64-10', stallMs: expect.any(Number) },
  ])
})
