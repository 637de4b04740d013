/** The beginning of a name that is being typed. */
export type TypedText = { text: string; at: number }

export const nothingTyped: TypedText = { text: '', at: 0 }

/** Letters typed within this time of each other are one beginning of a name. */
const typingMs = 700

/** Keys that only change what the next one types. */
const modifiers: ReadonlySet<string> = new Set(['Shift', 'CapsLock', 'AltGraph', 'Dead'])

/** The typed text after a key. Every key that isn’t part of a name starts a new one. */
export function typedAfter(before: TypedText, pressed: { key: string; isShortcut: boolean; at: number }): TypedText {
  const { key, isShortcut, at } = pressed
  if (modifiers.has(key)) return before
  if (isShortcut || key === ' ' || [...key].length !== 1) return nothingTyped
  return { text: at - before.at < typingMs ? before.text + key : key, at }
}
