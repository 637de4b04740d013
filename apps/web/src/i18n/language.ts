import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en/index.ts'
import { loadTranslation } from './translations.ts'

/** The languages that are complete, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch', it: 'Italiano' } as const
export type Language = keyof typeof languages

const storageKey = 'threadbox.language'

/** Starts the texts in the person's language. English is always there; others are fetched when they are chosen. */
export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en },
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    returnNull: false,
  })
  await applyLanguage(preferredLanguage())
}

/** Switches the language and remembers it on this device. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language)
  await applyLanguage(language)
}

/** What was chosen here before, else the first language of the browser that we have. */
function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages]
  for (const tag of wanted) {
    const language = tag?.slice(0, 2)
    if (isLanguage(language)) return language
  }
  return 'en'
}

async function applyLanguage(language: Language): Promise<void> {
  if (language !== 'en') {
    const { texts } = await loadTranslation(language)
    for (const [namespace, bundle] of Object.entries(texts)) i18next.addResourceBundle(language, namespace, bundle)
  }
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

function isLanguage(tag: string | null | undefined): tag is Language {
  return tag !== null && tag !== undefined && Object.hasOwn(languages, tag)
}
