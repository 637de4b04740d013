/** What the pages of links say themselves. Everything else on them is the conversation. */
export type SharedWords = {
  language: string
  intro: (at: string) => string
  /** The way to a copy, for whoever has an account. */
  copy: string
  goneTitle: string
  goneText: string
}

const english: SharedWords = {
  language: 'en',
  intro: (at) => `A conversation shared from threadbox to read, as it was on ${at}.`,
  copy: 'Go on in a copy of your own, with its computer (needs an account here)',
  goneTitle: 'This link leads nowhere',
  goneText: 'It may have ended, or it was not copied whole. Ask whoever shared it for another one.',
}

const german: SharedWords = {
  language: 'de',
  intro: (at) => `Ein Gespräch aus threadbox, zum Lesen geteilt, Stand ${at}.`,
  copy: 'In einer eigenen Kopie weitermachen, mit ihrem Computer (mit einem Konto auf dieser Installation)',
  goneTitle: 'Dieser Link führt nirgendwohin',
  goneText: 'Vielleicht wurde er beendet oder nicht ganz kopiert. Bitten Sie um einen neuen.',
}

/** The words for whoever sends this `Accept-Language`. */
export function sharedWords(acceptLanguage: string | undefined): SharedWords {
  return /^\s*de\b/i.test(acceptLanguage ?? '') ? german : english
}
