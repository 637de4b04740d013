import { expect, test } from 'vitest'
import { excerptOf, fenced, summaryOf } from './logs.logic.ts'

test('a log is summarized by its last line and the lines that name an error', () => {
  const log = [
    'Listening on 8501',
    'GET /forecast 200',
    'Traceback (most recent call last):',
    '  File "app.py", line 88',
    "KeyError: 'wind_speed'",
    '\u001b[31mERROR\u001b[0m request failed',
    '0 terrors',
    '',
  ].join('\n')
  expect(summaryOf(log)).toEqual({ lastLine: '0 terrors', errors: 2 })
  expect(summaryOf('')).toEqual({ lastLine: '', errors: 0 })
})

test('the selection is sent, else the last lines without colors', () => {
  const log = Array.from({ length: 100 }, (_, index) => `\u001b[2mline ${index}\u001b[0m`).join('\n')
  expect(excerptOf(log, '').split('\n')).toHaveLength(40)
  expect(excerptOf(log, '').endsWith('line 99')).toBe(true)
  expect(excerptOf(log, ' line 3 ')).toBe('line 3')
  expect(excerptOf('x'.repeat(9000), '')).toHaveLength(6000)
})

test('a fence is longer than any in the text', () => {
  expect(fenced('a')).toBe('```\na\n```')
  expect(fenced('```js\n````')).toBe('`````\n```js\n````\n`````')
})
