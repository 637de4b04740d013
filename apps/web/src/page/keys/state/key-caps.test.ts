import { expect, it } from 'vitest'
import { keyCaps, keysOf } from './key-caps.ts'

it('shows the keys of the device', () => {
  expect(keyCaps('mod+shift+O', 'apple')).toBe('⌘⇧O')
  expect(keyCaps('mod+shift+O', 'other')).toBe('Ctrl Shift O')
  expect(keysOf('shift+enter', 'other')).toEqual(['Shift', 'Enter'])
})

it('leaves keys without another name unchanged', () => {
  expect(keyCaps('mod+/', 'apple')).toBe('⌘/')
  expect(keysOf('F6', 'other')).toEqual(['F6'])
})
