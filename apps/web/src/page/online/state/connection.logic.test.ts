import { expect, it } from 'vitest'
import { bannerDelayMs, bannerOf, unknownConnection, withStatus } from './connection.logic.ts'

const retryNow = () => undefined
const open = withStatus(unknownConnection, { state: 'open' }, 1000)
const waiting = withStatus(open, { state: 'waiting', attempt: 1, delayMs: 4000, retryNow }, 5000)

it('shows nothing before the first connection was lost', () => {
  expect(bannerOf(unknownConnection, { now: 99_999, isBrowserOnline: true })).toBeNull()
  expect(bannerOf(open, { now: 99_999, isBrowserOnline: false })).toBeNull()
})

it('shows nothing for a connection that is renewed immediately', () => {
  expect(bannerOf(waiting, { now: 5000 + bannerDelayMs - 1, isBrowserOnline: true })).toBeNull()
  const renewed = withStatus(waiting, { state: 'open' }, 6000)
  expect(bannerOf(renewed, { now: 60_000, isBrowserOnline: true })).toBeNull()
})

it('shows the last contact and the seconds to the next attempt', () => {
  expect(bannerOf(waiting, { now: 7000, isBrowserOnline: true })).toEqual({
    cause: 'no-answer',
    lastContactAt: 5000,
    secondsToNextAttempt: 2,
  })
})

it('keeps the time of the loss over many attempts', () => {
  const again = withStatus(withStatus(waiting, { state: 'connecting' }, 9000), { ...waitingStatus(8000) }, 9500)
  expect(again.lostAt).toBe(5000)
  expect(again.lastContactAt).toBe(5000)
  expect(again.nextAttemptAt).toBe(17_500)
})

it('shows no countdown while an attempt is in progress or overdue', () => {
  const connecting = withStatus(waiting, { state: 'connecting' }, 9000)
  expect(bannerOf(connecting, { now: 9100, isBrowserOnline: true })?.secondsToNextAttempt).toBeNull()
  expect(bannerOf(waiting, { now: 9001, isBrowserOnline: true })?.secondsToNextAttempt).toBeNull()
})

it('reports immediately when the browser itself is offline', () => {
  expect(bannerOf(waiting, { now: 5000, isBrowserOnline: false })?.cause).toBe('offline')
})

function waitingStatus(delayMs: number) {
  return { state: 'waiting' as const, attempt: 2, delayMs, retryNow }
}
