import { settingWords as german } from './de/setting-words.ts'
import type { SettingWords } from './words.ts'

/** Titles and sentences of settings by name, where a language has its own; the server's are English. */
export function translatedSettings(language: string): SettingWords {
  return language.startsWith('de') ? german : {}
}
