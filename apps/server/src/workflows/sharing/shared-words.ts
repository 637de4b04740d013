import { preferredLanguage } from '../../platform/http/accept-language.ts'

/** The texts of shared pages. Everything else on them is the conversation. */
export type SharedWords = {
  language: string
  intro: (at: string) => string
  /** The link to a copy, for readers with an account. */
  copy: string
  goneTitle: string
  goneText: string
}

const english: SharedWords = {
  language: 'en',
  intro: (at) => `A conversation shared from threadbox, as of ${at}.`,
  copy: 'Continue in your own copy, including its sandbox (requires an account here)',
  goneTitle: 'This link doesn’t work',
  goneText: 'It may have expired, or part of it is missing. Ask the person who shared it for a new link.',
}

const german: SharedWords = {
  language: 'de',
  intro: (at) => `Ein aus threadbox geteiltes Gespräch, Stand ${at}.`,
  copy: 'In einer eigenen Kopie weitermachen, samt Sandbox (mit einem Konto auf dieser Installation)',
  goneTitle: 'Dieser Link funktioniert nicht',
  goneText:
    'Vielleicht ist er abgelaufen, oder ein Teil davon fehlt. Bitten Sie die Person, die ihn geteilt hat, um einen neuen.',
}

const italian: SharedWords = {
  language: 'it',
  intro: (at) => `Una conversazione condivisa da threadbox, aggiornata al ${at}.`,
  copy: 'Continua in una tua copia, compresa la sandbox (richiede un account qui)',
  goneTitle: 'Questo link non funziona',
  goneText: 'Può essere scaduto, o ne manca una parte. Chiedi un nuovo link a chi l’ha condiviso.',
}

const japanese: SharedWords = {
  language: 'ja',
  intro: (at) => `threadbox から共有された会話（${at} 現在）。`,
  copy: 'サンドボックスを含む自分用のコピーで続ける（ここのアカウントが必要です）',
  goneTitle: 'このリンクは使えません',
  goneText: '期限が切れたか、リンクの一部が欠けている可能性があります。共有した人に新しいリンクを依頼してください。',
}

const words = { en: english, de: german, it: italian, ja: japanese }

/** The texts in the language that an `Accept-Language` header prefers. */
export function sharedWords(acceptLanguage: string | undefined): SharedWords {
  return words[preferredLanguage(acceptLanguage)]
}
