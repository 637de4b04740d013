const isApple = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '')

const apple: Record<string, string> = { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↵' }
const others: Record<string, string> = { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter' }

/** A shortcut with the key names of this device: `mod+shift+O` is ⌘⇧O on a Mac and Ctrl Shift O elsewhere. */
export function keyCaps(shortcut: string, platform: 'apple' | 'other' = isApple ? 'apple' : 'other'): string {
  return keysOf(shortcut, platform).join(platform === 'apple' ? '' : ' ')
}

/** The same, with one text per key. */
export function keysOf(shortcut: string, platform: 'apple' | 'other' = isApple ? 'apple' : 'other'): string[] {
  const names = platform === 'apple' ? apple : others
  return shortcut.split('+').map((key) => names[key.toLowerCase()] ?? key)
}
