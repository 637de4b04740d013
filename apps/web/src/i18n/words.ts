import type { en } from './en/index.ts'
import type { Texts } from './texts.ts'

/** The sentences of errors by code, in one language. */
export type ErrorWords = Readonly<Record<string, { message: string; remedy: string }>>

/** Titles and sentences of settings by name, in one language. */
export type SettingWords = Readonly<Record<string, { title: string; doc: string }>>

/** Everything that the app says in one language. English errors and settings come from the server. */
export type Translation = { texts: Texts<typeof en>; errors: ErrorWords; settings: SettingWords }
