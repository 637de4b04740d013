import { settingWords as german } from './de/setting-words.ts'

export type SettingWords = Readonly<Record<string, { title: string; doc: string }>>

/** Titles and sentences of settings by name, where a language has its own; the server's are English. */
export function translatedSettings(language: string): SettingWords {
  return language.startsWith('de') ? german : {}
}
