import { describe, expect, test } from 'vitest'
import * as format from './format.ts'

const plain = (text: string) => text.replaceAll(/\s/g, ' ')

describe('formats', () => {
  test('sizes use a fitting unit', () => {
    expect([0, 84_000, 48_200_000, 1_500_000_000].map((bytes) => plain(format.formatBytes(bytes, 'en')))).toEqual([
      '0 bytes',
      '84 kB',
      '48.2 MB',
      '1.5 GB',
    ])
    expect(plain(format.formatBytes(48_200_000, 'de'))).toBe('48,2 MB')
    expect(plain(format.formatBytes(0, 'it'))).toBe('0 byte')
    expect(plain(format.formatBytes(48_200_000, 'it'))).toBe('48,2 MB')
    expect([0, 48_200_000].map((bytes) => plain(format.formatBytes(bytes, 'ja')))).toEqual(['0 バイト', '48.2 MB'])
  })

  test('memory is counted in powers of two', () => {
    expect(plain(format.formatBinaryBytes(4 * 1024 ** 3, 'en'))).toBe('4 GiB')
    expect(plain(format.formatBinaryBytes(512 * 1024 ** 2, 'en'))).toBe('512 MiB')
    expect(plain(format.formatBinaryBytes(12_000, 'en'))).toBe('12 KiB')
    expect(plain(format.formatBinaryBytes(0, 'en'))).toBe('0 MiB')
    expect(plain(format.formatBinaryBytes(2.5 * 1024 ** 3, 'de'))).toBe('2,5 GiB')
  })

  test('durations never show sixty of a unit', () => {
    expect(
      [-5, 240, 6400, 9960, 59_400, 59_900, 125_000, 3_600_000, 12_000_000, 90_000_000].map((ms) =>
        format.formatDuration(ms, 'en'),
      ),
    ).toEqual(['0 ms', '240 ms', '6.4 s', '10 s', '59 s', '1 min', '2 min 5 s', '1 h', '3 h 20 min', '1 d 1 h'])
    expect(format.formatDuration(6400, 'de')).toBe('6,4 s')
    expect(format.formatDuration(6400, 'it')).toBe('6,4 s')
    expect([240, 6400, 125_000, 12_000_000, 90_000_000].map((ms) => format.formatDuration(ms, 'ja'))).toEqual([
      '240 ミリ秒',
      '6.4 秒',
      '2 分 5 秒',
      '3 時間 20 分',
      '1 日 1 時間',
    ])
  })

  test('ages have one unit', () => {
    expect([0, 7_200_000, 800_000_000].map((ms) => format.formatShortAge(ms, 'en'))).toEqual(['1 min', '2 h', '9 d'])
    expect([0, 7_200_000, 800_000_000].map((ms) => format.formatShortAge(ms, 'ja'))).toEqual(['1 分', '2 時間', '9 日'])
  })

  test('moments are the time of day today, else the date', () => {
    const now = new Date(2026, 5, 17, 12).getTime()
    const moment = (at: Date, locale = 'en') => plain(format.formatMoment(at.getTime(), { now, locale }))
    expect(moment(new Date(2026, 5, 17, 9, 26))).toMatch(/^09:26/)
    expect(moment(new Date(2026, 1, 3))).toBe('Feb 3')
    expect(moment(new Date(2025, 1, 3))).toBe('Feb 3, 2025')
    const italian = { now, locale: 'it' }
    expect(format.formatMoment(new Date(2025, 1, 3).getTime(), italian)).toBe('3 feb 2025')
    expect(moment(new Date(2025, 1, 3), 'ja')).toBe('2025年2月3日')
  })

  test('small prices keep two significant digits', () => {
    expect([0, 0.0514, 0.00032, 1.5].map((usd) => format.formatUsd(usd, 'en'))).toEqual([
      '$0.00',
      '$0.051',
      '$0.00032',
      '$1.50',
    ])
    expect(plain(format.formatUsd(1.5, 'it'))).toBe('1,50 USD')
  })

  test('durations in seconds are rounded to one significant digit below a second', () => {
    expect([0, 38, 390, 620, 960, 6200].map((ms) => format.formatSeconds(ms, 'en'))).toEqual([
      '0 s',
      '0.04 s',
      '0.4 s',
      '0.6 s',
      '1 s',
      '6.2 s',
    ])
    expect([38, 6200].map((ms) => format.formatSeconds(ms, 'ja'))).toEqual(['0.04 秒', '6.2 秒'])
  })

  test('a deadline is precise to the minute, with its day when that is not today', () => {
    const now = new Date(2030, 5, 12, 12).getTime()
    const text = (date: Date, locale = 'en-GB') => plain(format.formatDeadline(date.getTime(), { now, locale }))
    expect(text(new Date(2030, 5, 12, 14, 32))).toBe('14:32')
    expect(text(new Date(2030, 5, 13, 7, 5))).toBe('Thu 07:05')
    expect(text(new Date(2030, 5, 13, 7, 5), 'de')).toBe('Do., 07:05')
    expect(text(new Date(2030, 5, 12, 14, 32), 'it')).toBe('14:32')
    expect(text(new Date(2030, 5, 13, 7, 5), 'it')).toBe('gio 07:05')
    expect(text(new Date(2030, 6, 20, 7, 5), 'it')).toBe('20 lug, 07:05')
    expect(text(new Date(2030, 5, 13, 7, 5), 'ja')).toBe('6/13(木) 07:05')
    expect(text(new Date(2030, 6, 20, 7, 5))).toBe('20 Jul, 07:05')
    expect(text(new Date(2031, 0, 2, 7, 5))).toBe('2 Jan 2031, 07:05')
  })

  test('things and sentences in a row are separated as the language does', () => {
    expect([format.joinItems(['a', 'b', 'c'], 'en'), format.joinItems(['a', 'b'], 'ja')]).toEqual(['a, b, c', 'a、b'])
    expect(format.joinSentences(['One.', '', 'Two.'], 'de')).toBe('One. Two.')
    expect(format.joinSentences(['はい。', 'いいえ。'], 'ja')).toBe('はい。いいえ。')
  })
})
