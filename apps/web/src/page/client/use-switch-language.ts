import { useTranslation } from 'react-i18next'
import { chooseLanguage, type Language, languages } from '../../i18n/language.ts'
import { showToast } from '../../ui/toast.tsx'

/** Switches the app's language; a toast says when it can't be loaded. */
export function useSwitchLanguage(): (language: Language) => void {
  const { t } = useTranslation('settings')
  return (language) => {
    chooseLanguage(language).catch(() => showToast(t('you.languageFailed', { language: languages[language] })))
  }
}
