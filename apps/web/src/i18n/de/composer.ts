import type { composer as source } from '../en/composer.ts'
import type { Texts } from '../texts.ts'

export const composer: Texts<typeof source> = {}
