import { expect, test } from 'vitest'
import { terminalKey } from './keys.logic.ts'

const none = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false }
const press = (key: string, code: string, held: Partial<typeof none> = {}) =>
  terminalKey({ key, code, ...none, ...held })

test('Escape, Tab and Ctrl+C belong to the terminal, F6 leaves it', () => {
  expect(press('Escape', 'Escape')).toBe('terminal')
  expect(press('Tab', 'Tab')).toBe('terminal')
  expect(press('Tab', 'Tab', { shiftKey: true })).toBe('terminal')
  expect(press('c', 'KeyC', { ctrlKey: true })).toBe('terminal')
  expect(press('v', 'KeyV', { ctrlKey: true })).toBe('terminal')
  expect(press('F6', 'F6')).toBe('app')
  expect(press('F6', 'F6', { shiftKey: true })).toBe('app')
})

test('the clipboard has keys of its own, and panes keep theirs', () => {
  expect(press('C', 'KeyC', { ctrlKey: true, shiftKey: true })).toBe('copy')
  expect(press('Insert', 'Insert', { ctrlKey: true })).toBe('copy')
  expect(press('V', 'KeyV', { ctrlKey: true, shiftKey: true })).toBe('paste')
  expect(press('™', 'Digit3', { altKey: true })).toBe('app')
  expect(press('5', 'Digit6', { altKey: true })).toBe('terminal')
})
