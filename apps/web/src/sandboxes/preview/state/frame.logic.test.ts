import type { Preview, ServiceStatus } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { coverOf, type FrameState, isForeign, isOnItsWay, shouldAutoLoad } from './frame.logic.ts'

const empty: FrameState = { hasPage: false, load: 'none' }
const shown: FrameState = { hasPage: true, load: 'none' }

describe('what covers the page', () => {
  test('O7: a page of a sleeping service is covered, and one of a service that is down', () => {
    expect(coverOf('suspended', shown)).toBe('suspended')
    expect(coverOf('stopped', shown)).toBe('down')
    expect(coverOf('error', { hasPage: true, load: 'failed' })).toBe('down')
  })

  test('the previous page stays while another is loading', () => {
    for (const load of ['asked', 'loading'] as const) {
      expect(coverOf('running', { hasPage: true, load })).toBe('none')
      expect(isOnItsWay('running', { hasPage: true, load })).toBe(true)
    }
    expect(coverOf('starting', shown)).toBe('none')
    expect(isOnItsWay('starting', shown)).toBe(true)
    expect(coverOf('starting', empty)).toBe('starting')
    expect(isOnItsWay('running', shown)).toBe(false)
    expect(isOnItsWay('suspended', { hasPage: true, load: 'loading' })).toBe(false)
  })

  test('a page that could not be loaded is reported as such', () => {
    expect(coverOf('running', { hasPage: true, load: 'failed' })).toBe('failed')
    expect(coverOf('running', { hasPage: false, load: 'unavailable' })).toBe('unavailable')
  })
})

describe('when a page is loaded without a request', () => {
  test('the first time, and when another process serves it', () => {
    expect(shouldAutoLoad('running', { ...empty, wasDown: false })).toBe(true)
    expect(shouldAutoLoad('running', { ...shown, wasDown: true })).toBe(true)
  })

  test('O3, O7: not after a wake, and never from a service that is not running', () => {
    expect(shouldAutoLoad('running', { ...shown, wasDown: false })).toBe(false)
    const others: ServiceStatus[] = ['starting', 'suspended', 'stopped', 'error']
    for (const status of others) expect(shouldAutoLoad(status, { ...empty, wasDown: true })).toBe(false)
  })
})

test('O12: a page of the app’s own origin is never framed', () => {
  const app = 'http://app.x.localhost:7717'
  const preview = (url: string | null): Preview => ({
    url,
    origin: null,
    appOrigin: app,
    expiresAt: 0,
    unavailable: null,
  })
  expect(isForeign(preview('http://8501-a.x.localhost:7717/t'), app)).toBe(true)
  expect(isForeign(preview(`${app}/t`), app)).toBe(false)
  expect(isForeign(preview('/t'), app)).toBe(false)
  expect(isForeign(preview(null), app)).toBe(false)
})
