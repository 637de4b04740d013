import type { TranslationLanguage } from '../../tools/translation-state.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'

export type Words = { [Key in keyof typeof en]: Texts<(typeof en)[Key]> }
type Texts<Value> = Value extends string ? string : { [Key in keyof Value]: Texts<Value[Key]> }

export type Language = 'en' | TranslationLanguage

export const words: Record<Language, Words> = { en, de, it, ja }
