/** Bounds of a password, in user-perceived characters. The server enforces the same ones. */
export const passwordBounds = { minimum: 12, maximum: 128 } as const

export type PasswordCheck = {
  characters: number
  problem: 'too-short' | 'too-long' | null
}

/** The result for a password while it is typed. Length is the only rule, because it is the one that helps. */
export function checkPassword(password: string): PasswordCheck {
  const characters = [...password].length
  if (characters < passwordBounds.minimum) return { characters, problem: 'too-short' }
  return { characters, problem: password.length > passwordBounds.maximum ? 'too-long' : null }
}
