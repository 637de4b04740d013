import { makeInMemoryDriver } from '@threadbox/sandbox-driver/testing'
import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import { makeBackgroundWork } from '../../machine/programs/background-work.ts'
import { type Frozen, makeCompressions } from './compressions.ts'

const minuteMs = 60_000

/** The clock is the test’s. */
function compressionsOf({ afterMs = minuteMs }: { afterMs?: number } = {}) {
  let now = 0
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const driver = Object.assign(makeInMemoryDriver(), {
    compress: async ({ bootId, signal }: { bootId: string; signal: AbortSignal }) => {
      begun.push(bootId)
      await new Promise<void>((resolve) => {
        ends.set(bootId, resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
  })
  const compressions = makeCompressions({
    driver,
    background: makeBackgroundWork(async () => true),
    afterMs,
    logger: makeLogger({ process: 'test', level: 'silent' }),
    clock: () => now,
    signal: new AbortController().signal,
  })
  return {
    ...compressions,
    begun,
    end: (bootId: string) => ends.get(bootId)?.(),
    at: (ms: number) => {
      now = ms
    },
  }
}

const frozen = (driverBootId: string, frozenAt: number | undefined = 0): Frozen => ({ driverBootId, frozenAt })
/** Work that doesn’t wait for anything has begun by then. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20))

test('memory is compressed once, when a boot has been frozen for the given time', async () => {
  const subject = compressionsOf()
  const boot = frozen('b1', 1000)
  subject.at(1000 + minuteMs - 1)
  subject.consider(boot)
  await settle()
  expect(subject.begun).toEqual([])
  subject.at(1000 + minuteMs)
  subject.consider(boot)
  subject.consider(boot)
  await settle()
  subject.end('b1')
  subject.at(1000 + 60 * minuteMs)
  subject.consider(boot)
  await settle()
  expect(subject.begun).toEqual(['b1'])
})

test('a boot that is just being frozen is not compressed, and none is where that is off', async () => {
  const [subject, off] = [compressionsOf(), compressionsOf({ afterMs: 0 })]
  for (const each of [subject, off]) each.at(60 * minuteMs)
  subject.consider({ driverBootId: 'b1', frozenAt: undefined })
  off.consider(frozen('b1'))
  await settle()
  expect([subject.begun, off.begun]).toEqual([[], []])
})

test('one boot at a time is compressed, and one that continues doesn’t wait for the others', async () => {
  const subject = compressionsOf()
  subject.at(minuteMs)
  const boots = ['b1', 'b2', 'b3'].map((id) => frozen(id))
  for (const boot of boots) subject.consider(boot)
  await settle()
  expect(subject.begun).toEqual(['b1'])
  await subject.cancel(boots[1] as Frozen)
  subject.end('b1')
  await settle()
  expect(subject.begun).toEqual(['b1', 'b3'])
  await subject.cancel(boots[2] as Frozen)
})

test('a boot that continues is not compressed from then on', async () => {
  const subject = compressionsOf()
  const boot = frozen('b1')
  await subject.cancel(boot)
  subject.at(minuteMs)
  subject.consider(boot)
  await settle()
  expect(subject.begun).toEqual([])
})
