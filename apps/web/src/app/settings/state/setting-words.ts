import type { Setting } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { settingTitles } from '../../../i18n/en/setting-words.ts'
import { translatedSettings } from '../../../i18n/translations.ts'
import { wordsOf } from '../../../page/parts/setting-groups.ts'

/** Title and description of a setting: translated if there is a translation, else the server’s English texts. */
export function useSettingWords(setting: Pick<Setting, 'name' | 'doc'>): { title: string; doc: string } {
  const { i18n } = useTranslation()
  return (
    translatedSettings(i18n.language)[setting.name] ?? {
      title: settingTitles[setting.name] ?? titleOf(setting.name),
      doc: setting.doc,
    }
  )
}

const spelling: Record<string, string> = { cpus: 'CPUs', url: 'URL', usd: 'USD', id: 'ID' }

/** `maxTurnMinutes` → `Max turn minutes`. A size shows its unit in the value, so `Bytes` is left out. */
function titleOf(name: string): string {
  const words = wordsOf(name).filter((word, index, all) => word !== 'bytes' || index < all.length - 1)
  const text = words.map((word) => spelling[word] ?? word).join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
