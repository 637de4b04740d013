import { expect, test } from 'vitest'
import { nothingTyped, typedAfter } from './type-ahead.logic.ts'

/** The typed text after these keys, 50 ms apart; a number is a wait in ms instead. */
function typedBy(...keys: readonly (string | number)[]): string {
  let [typed, at] = [nothingTyped, 10_000]
  for (const key of keys) {
    at += typeof key === 'number' ? key : 50
    if (typeof key === 'string') typed = typedAfter(typed, { key, isShortcut: false, at })
  }
  return typed.text
}

test('C8: letters typed in a row are the beginning of one name, after a pause of another', () => {
  expect(typedBy('r', 'e', 'a')).toBe('rea')
  expect(typedBy('r', 'e', 700, 'a')).toBe('a')
})

test('C8: a capital letter belongs to the name', () => {
  expect(typedBy('a', 'Shift', 'B')).toBe('aB')
})

test.each(['ArrowRight', 'ArrowLeft', 'F2', 'Enter', 'Delete', 'Escape', 'Tab', 'Backspace', ' '])(
  'C8: after the key "%s" another name begins',
  (key) => {
    expect(typedBy('a', key, 'b')).toBe('b')
  },
)

test('C8: after a shortcut another name starts', () => {
  const typed = typedAfter(nothingTyped, { key: 'b', isShortcut: false, at: 1000 })
  expect(typedAfter(typed, { key: 'a', isShortcut: true, at: 1050 })).toEqual(nothingTyped)
})
