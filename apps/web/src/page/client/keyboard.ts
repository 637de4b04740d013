/** True for keys of an input method: its Enter confirms a word and must not send a message. */
export function isImeEvent(event: { isComposing: boolean; keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229
}

const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '')

/** True on touch screens: focusing a field there opens the keyboard over half the page, so only the user does that. */
export function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches
}

/** A shortcut as on the user’s keyboard: `⌘⇧O` or `Ctrl+Shift+O`. */
export function shortcutText(keys: { mod?: boolean; shift?: boolean; key: string }, mac: boolean = isMac): string {
  if (mac) return `${keys.mod ? '⌘' : ''}${keys.shift ? '⇧' : ''}${keys.key}`
  return [keys.mod ? 'Ctrl' : '', keys.shift ? 'Shift' : '', keys.key].filter((part) => part !== '').join('+')
}

/** True if an event is `⌘`/`Ctrl` with exactly these keys. */
export function isShortcut(event: KeyboardEvent, keys: { shift?: boolean; code: string }): boolean {
  return (
    (event.metaKey || event.ctrlKey) &&
    !event.altKey &&
    event.shiftKey === (keys.shift ?? false) &&
    event.code === keys.code
  )
}
