import type { en } from './en/index.ts'
import type { Texts } from './texts.ts'
import type { ErrorWords, FindingWords, ProblemWords, SettingWords } from './words.ts'

/** Everything that the app says in one language. English errors, findings and settings come from the server. */
export type Translation = {
  texts: Texts<typeof en>
  errors: ErrorWords
  problems: ProblemWords
  findings: FindingWords
  settings: SettingWords
}
