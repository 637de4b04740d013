import { expect, test } from 'vitest'
import { isImeEvent, isShortcut, shortcutText } from './keyboard.ts'

test('keys of an input method are distinguished from direct key presses', () => {
  expect(isImeEvent({ isComposing: true, keyCode: 13 })).toBe(true)
  expect(isImeEvent({ isComposing: false, keyCode: 229 })).toBe(true)
  expect(isImeEvent({ isComposing: false, keyCode: 13 })).toBe(false)
})

test('shortcuts are named as on the user’s keyboard', () => {
  expect(shortcutText({ mod: true, shift: true, key: 'O' }, true)).toBe('⌘⇧O')
  expect(shortcutText({ mod: true, shift: true, key: 'O' }, false)).toBe('Ctrl+Shift+O')
})

test('a shortcut needs exactly its modifiers', () => {
  const key = { metaKey: false, ctrlKey: true, altKey: false, shiftKey: true, code: 'KeyO' } as KeyboardEvent
  expect(isShortcut(key, { code: 'KeyO', shift: true })).toBe(true)
  expect(isShortcut(key, { code: 'KeyO' })).toBe(false)
  expect(isShortcut({ ...key, altKey: true } as KeyboardEvent, { code: 'KeyO', shift: true })).toBe(false)
})
