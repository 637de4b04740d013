/** Who gets a key that is pressed in a terminal: the app, the clipboard, or what runs in it. */
export type TerminalKey = 'app' | 'copy' | 'paste' | 'terminal'

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>

/**
 * Everything belongs to the terminal, Escape and Tab too, but F6, which leaves it, the keys of the panes, and the
 * terminal's own for the clipboard: Ctrl+C is an interrupt here.
 */
export function terminalKey(pressed: Pressed): TerminalKey {
  const { ctrlKey, shiftKey, altKey, metaKey, code } = pressed
  if (pressed.key === 'F6' && !ctrlKey && !altKey && !metaKey) return 'app'
  if (altKey && !ctrlKey && !shiftKey && !metaKey && /^Digit[1-5]$/.test(code)) return 'app'
  if (ctrlKey && shiftKey && !altKey && !metaKey && code === 'KeyC') return 'copy'
  if (ctrlKey && shiftKey && !altKey && !metaKey && code === 'KeyV') return 'paste'
  if (ctrlKey && !shiftKey && !altKey && !metaKey && code === 'Insert') return 'copy'
  return 'terminal'
}
