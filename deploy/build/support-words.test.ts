import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSupportWords } from './support-words.ts'

test('O12: the words that a support bundle shows of logs are those of the code', () => {
  const { events, codes, durations } = findSupportWords(join(import.meta.dirname, '../..'))
  expect(events).toEqual(expect.arrayContaining(['server listens', 'host daemon serves', 'boot paused', 'stopping']))
  expect(codes).toEqual(expect.arrayContaining(['machine.disk-full', 'host.unreachable', 'internal.unexpected']))
  expect(durations).toEqual(expect.arrayContaining(['durationMs', 'pauseMs', 'retryAfterSeconds']))
  expect(events.filter((event) => event.includes('$'))).toEqual([])
})
