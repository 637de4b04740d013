/** The sentences of errors by code, in one language. */
export type ErrorWords = Readonly<Record<string, { message: string; remedy: string }>>

/** Titles and sentences of settings by name, in one language. */
export type SettingWords = Readonly<Record<string, { title: string; doc: string }>>
