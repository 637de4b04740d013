import type { SurvivalItem } from '@threadbox/sdk'
import { createInstance } from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { german } from '../../../i18n/de/index.ts'
import { reportWords } from './report-words.ts'

let words: ReturnType<typeof reportWords>
beforeAll(async () => {
  const i18n = createInstance()
  await i18n.init({
    lng: 'de',
    ns: Object.keys(german.texts),
    resources: { de: german.texts },
    interpolation: { escapeValue: false },
  })
  const format = { number: (value: number) => value.toLocaleString('de'), fullMoment: (at: number) => `Moment ${at}` }
  words = reportWords({ t: i18n.getFixedT('de', 'lifecycle'), exists: i18n.exists.bind(i18n), format })
})

const item = (values: Partial<SurvivalItem>): SurvivalItem => ({
  kind: 'file',
  name: 'a name',
  outcome: 'lost',
  reason: 'A reason.',
  detail: 'a detail',
  restartId: null,
  ...values,
})

test('an item with codes is in the language of the page, including its params', () => {
  const because = (code: NonNullable<SurvivalItem['because']>['code'], params: Record<string, string | number> = {}) =>
    words.reason(item({ because: { code, params } }))
  expect(because('port-taken', { pid: 17 })).toBe('Jetzt lauscht ein anderer Prozess (PID 17).')
  expect(because('unread-after', { span: 'rewind', why: 'failed', detail: 'EIO' })).toBe(
    'Konnte nach dem Zurückspulen nicht geprüft werden. EIO',
  )
  expect(because('ended-obstacle', { how: 'discarded', obstacle: 'terminal' })).toBe(
    'Endete, als der Speicher verworfen wurde. Lief in einem Terminal, das es nicht mehr gibt.',
  )
  expect(because('file-extended', { span: 'pause', count: 1 })).toContain('1 Byte folgt')
  expect(because('file-extended', { span: 'pause', count: 2 })).toContain('2 Bytes folgen')
  expect(because('older-value', { at: 7 })).toContain('Moment 7')
  const more = { code: 'more-files', params: { count: 2 } } as const
  expect(words.name(item({ standsFor: more }))).toBe('2 weitere Dateien')
  const open = { code: 'open-file', params: { bytes: 12_345, pid: 9 } } as const
  expect(words.detail(item({ facts: open }))).toBe('12.345 Bytes, PID 9')
})

test('an older report, and a code from a newer server, are shown with their own texts', () => {
  const newer = { code: 'ended', params: { how: 'evaporated' } } as const
  const unknown = { code: 'unheard-of', params: {} } as unknown as typeof newer
  for (const one of [item({}), item({ because: null }), item({ because: newer }), item({ because: unknown })]) {
    expect([words.name(one), words.reason(one), words.detail(one)]).toEqual(['a name', 'A reason.', 'a detail'])
  }
})
