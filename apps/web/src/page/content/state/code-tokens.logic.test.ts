import { expect, test } from 'vitest'
import { tokensOfTree } from './code-tokens.logic.ts'
import { highlight } from './highlighter.ts'

test('Python is colored by role and its text is unchanged', () => {
  const code = 'import pandas as pd  # data\nx = "a" + str(1)'
  const tokens = highlight(code, 'python') ?? []
  expect(tokens.map((token) => token.text).join('')).toBe(code)
  expect(tokens.find((token) => token.text === 'import')?.role).toBe('k')
  expect(tokens.find((token) => token.text === '"a"')?.role).toBe('s')
  expect(tokens.find((token) => token.text.startsWith('# data'))?.role).toBe('c')
})

test('an unknown language stays plain', () => {
  expect(highlight('x', 'no-such-language')).toBeNull()
})

test('adjacent tokens of one role are one piece', () => {
  const text = (value: string) => ({ type: 'text', value })
  expect(tokensOfTree({ type: 'root', children: [text('a'), text('b')] })).toEqual([{ text: 'ab', role: null }])
})
