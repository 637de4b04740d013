/** Where a key pressed in a terminal goes: to the app, the clipboard, or the program in the terminal. */
export type TerminalKey = 'app' | 'copy' | 'paste' | 'terminal'

type PressedKey = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>

/**
 * Every key goes to the terminal, including Escape and Tab, except F6, which leaves it, the keys of the panes, and the
 * terminal’s own clipboard keys. Ctrl+C is an interrupt here.
 */
export function terminalKey(pressed: PressedKey): TerminalKey {
  const { ctrlKey, shiftKey, altKey, metaKey, code } = pressed
  if (pressed.key === 'F6' && !ctrlKey && !altKey && !metaKey) return 'app'
  if (altKey && !ctrlKey && !shiftKey && !metaKey && /^Digit[1-5]$/.test(code)) return 'app'
  if (ctrlKey && shiftKey && !altKey && !metaKey && code === 'KeyC') return 'copy'
  if (ctrlKey && shiftKey && !altKey && !metaKey && code === 'KeyV') return 'paste'
  if (ctrlKey && !shiftKey && !altKey && !metaKey && code === 'Insert') return 'copy'
  return 'terminal'
}
