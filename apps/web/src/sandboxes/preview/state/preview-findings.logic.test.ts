import type { PreviewCheck, PreviewProblem } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { findingsOf, obstacleOf, probeOf } from './preview-findings.logic.ts'

const problem = (code: string): PreviewProblem => ({ code, message: '', remedy: '', details: {} })
const check: PreviewCheck = {
  url: 'http://1-doctor.box.localhost/.threadbox/check?id=one',
  origin: 'http://1-doctor.box.localhost',
  unavailable: null,
  problems: { unreachable: problem('unreachable'), cookies: problem('cookies'), sockets: problem('sockets') },
}
const statuses = (...heard: Parameters<typeof findingsOf>) => findingsOf(...heard).map(({ status }) => status)

test('O4: a page that reports, keeps its cookie and opens a socket shows that previews work', () => {
  const findings = findingsOf(check, { hasCookie: true, socket: 'open' })
  expect(findings.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  expect(obstacleOf(findings)).toBeNull()
})

test('O4: without a message the names fail, and unchecked aspects are skipped', () => {
  expect(statuses(check, null)).toEqual(['failed', 'skipped', 'skipped'])
  expect(obstacleOf(findingsOf(check, null))).toMatchObject({ code: 'unreachable' })
})

test('O4: a reason that applies to every browser is reported, whatever the page reports', () => {
  const none = { ...check, url: null, origin: null, unavailable: problem('no-name') }
  expect(obstacleOf(findingsOf(none, null))).toMatchObject({ code: 'no-name' })
})

test('O4: a cookie that is not kept is an obstacle, a socket that does not open is a warning', () => {
  expect(statuses(check, { hasCookie: false, socket: 'open' })).toEqual(['ok', 'failed', 'ok'])
  for (const socket of ['blocked', 'asked'] as const) {
    expect(statuses(check, { hasCookie: true, socket })).toEqual(['ok', 'ok', 'warning'])
    expect(obstacleOf(findingsOf(check, { hasCookie: true, socket }))).toBeNull()
  }
})

test('only a complete message of this check is accepted', () => {
  const message = { threadbox: 'preview-check', id: 'one', hasCookie: true, socket: 'open' }
  expect(probeOf(message, 'one')).toEqual({ hasCookie: true, socket: 'open' })
  expect(probeOf({ ...message, hasCookie: 'yes' }, 'one')).toMatchObject({ hasCookie: false })
  for (const other of [null, 'open', {}, { ...message, id: 'two' }, { ...message, socket: 'ok' }]) {
    expect(probeOf(other, 'one')).toBeNull()
  }
})
