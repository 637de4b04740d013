import type { Setting } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { translatedSettings } from '../../../i18n/setting-words.ts'

/** Title and sentence of a setting: translated where there is a translation, else the server's own English ones. */
export function useSettingWords(setting: Pick<Setting, 'name' | 'doc'>): { title: string; doc: string } {
  const { i18n } = useTranslation()
  return translatedSettings(i18n.language)[setting.name] ?? { title: titleOf(setting.name), doc: setting.doc }
}

/** `turnTimeMinutes` → `Turn time minutes`. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
