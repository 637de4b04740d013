import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en/index.ts'
import { loadTranslation } from './translations.ts'

/** The languages that are complete, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch', it: 'Italiano', ja: '日本語' } as const
export type Language = keyof typeof languages

const storageKey = 'threadbox.language'

/**
 * Starts the texts in the person's language, and follows the browser and other tabs when the language changes there.
 * English is part of the app; other languages are loaded. When that fails, for example because the server is away, the
 * app starts in English.
 */
export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en },
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    returnNull: false,
  })
  const follow = () => applyLanguage(preferredLanguage()).catch(() => undefined)
  window.addEventListener('languagechange', follow)
  window.addEventListener('storage', ({ key }) => key === storageKey && void follow())
  await follow()
}

/**
 * Switches the language and remembers it on this device. Rejects, and remembers nothing, when it can't be loaded. A
 * choice that a later one overtook while it was loading is neither shown nor remembered.
 */
export async function chooseLanguage(language: Language): Promise<void> {
  if (await applyLanguage(language)) localStorage.setItem(storageKey, language)
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

/** What was requested last wins, also when it is loaded first. */
let latest: Language = 'en'

/** False when another language was requested while this one was loading. */
async function applyLanguage(language: Language): Promise<boolean> {
  latest = language
  if (language !== 'en') {
    const { texts } = await loadTranslation(language)
    for (const [namespace, bundle] of Object.entries(texts)) i18next.addResourceBundle(language, namespace, bundle)
  }
  if (latest !== language) return false
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
  return true
}

function isLanguage(tag: string | null | undefined): tag is Language {
  return tag !== null && tag !== undefined && Object.hasOwn(languages, tag)
}
