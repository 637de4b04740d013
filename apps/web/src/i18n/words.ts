/** The sentences of errors by code, in one language. */
export type ErrorWords = Readonly<Record<string, { message: string; remedy: string }>>

/** Why something failed, by code: the texts of `{problem}` in sentences of errors. */
export type ProblemWords = Readonly<Record<string, string>>

/** Titles and sentences of settings by name, in one language. */
export type SettingWords = Readonly<Record<string, { title: string; doc: string }>>

/** What checks of the machine find and the fix, by code. */
export type FindingWords = Readonly<Record<string, { detail: string; cure: string }>>
