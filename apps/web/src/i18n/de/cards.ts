import type { cards as source } from '../en/cards.ts'
import type { Texts } from '../texts.ts'

export const cards: Texts<typeof source> = {}
