import type { SettingWords } from '../setting-words.ts'

/** What the settings of the server are called, by name. */
export const settingWords: SettingWords = {}
