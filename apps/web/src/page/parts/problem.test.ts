import { expect, test } from 'vitest'
import { loadTranslation } from '../../i18n/translations.ts'
import { findingInLanguage, inLanguage } from './problem.ts'

function unreachable(details: Record<string, unknown>) {
  return inLanguage({ code: 'connection.unreachable', message: 'English.', remedy: 'English.', details }, 'de').message
}

test('the app shows a problem with a code in the reader’s language, with its values', async () => {
  await loadTranslation('de')
  const refused = unreachable({ problem: 'the connection was refused.', problemCode: 'connection-refused' })
  expect(refused).toBe('Der MCP-Server ist nicht zu erreichen: Die Verbindung wurde abgelehnt.')
  const other = { problem: 'the connection failed (EPIPE).', problemCode: 'connection-failed', systemCode: 'EPIPE' }
  expect(unreachable(other)).toContain('Die Verbindung ist fehlgeschlagen (EPIPE).')
})

test('a problem without a code, or with one of a newer server, keeps its own words', async () => {
  await loadTranslation('de')
  expect(unreachable({ problem: 'its own words.' })).toContain('its own words.')
  expect(unreachable({ problem: 'new words.', problemCode: 'new' })).toContain('new words.')
})

const check = { id: 'pool', title: 'disk pool', status: 'failed' as const, detail: 'English.', cure: 'English.' }

test('a finding is in the reader’s language, with sizes and durations', async () => {
  await Promise.all([loadTranslation('de'), loadTranslation('ja')])
  const values = { freeBytes: 1.5 * 2 ** 30, totalBytes: 40 * 2 ** 30, reservedBytes: 2 ** 31 }
  const full = findingInLanguage({ ...check, code: 'pool-full', values }, 'de')
  expect(full.detail.replaceAll('\u00a0', ' ')).toBe('1,5 GiB von 40 GiB frei, davon 2 GiB reserviert.')
  expect(full.cure).toContain('THREADBOX_POOL_SIZE')
  const ready = findingInLanguage({ ...check, code: 'sandbox-fine', values: { durationMs: 1234 } }, 'ja')
  expect(ready).toMatchObject({ detail: 'サンドボックスの準備が 1.2 秒で完了しました。', cure: null })
})

test('a finding that is an error has the error’s words', async () => {
  await loadTranslation('de')
  const failed = { ...check, code: 'driver.runsc-missing', values: { path: '/runsc' } }
  expect(findingInLanguage(failed, 'de').detail).toContain('/runsc')
  expect(findingInLanguage(failed, 'de').detail).not.toContain('English')
})

test('a finding stays as it is in English, without a code, with a new one, or if a value is missing', async () => {
  await loadTranslation('de')
  const full = { ...check, code: 'pool-full', values: {} }
  expect(findingInLanguage(full, 'en')).toEqual(full)
  for (const found of [check, { ...check, code: 'pool-new' }, { ...check, code: 'pool.new' }, full]) {
    expect(findingInLanguage(found, 'de')).toEqual(found)
  }
})
