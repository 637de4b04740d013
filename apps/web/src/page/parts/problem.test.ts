import { expect, test } from 'vitest'
import { loadTranslation } from '../../i18n/translations.ts'
import { inLanguage } from './problem.ts'

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
