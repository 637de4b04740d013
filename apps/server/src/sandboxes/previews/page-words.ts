import type { ThreadboxError } from '@threadbox/errors'

/** The pages that the front shows in place of a service's. */
export const pageNames = ['private', 'suspended', 'asleep', 'waking', 'nothing-here', 'failed'] as const
export type PageName = (typeof pageNames)[number]

type PageWords = { title: string; text: (error: ThreadboxError) => string; action: string }
type Words = { language: string } & Record<PageName, PageWords>

const portOf = (error: ThreadboxError) => String(error.details.port ?? '')

const english: Words = {
  language: 'en',
  private: {
    title: 'This page is private',
    text: () =>
      'Open it again from its thread in threadbox. The address that leads here works once and for a minute; a link that was shared may have ended.',
    action: 'Open threadbox',
  },
  suspended: {
    title: 'This sandbox sleeps',
    text: () => 'Nothing is lost: what ran in it goes on when it wakes.',
    action: 'Wake it and open the page',
  },
  asleep: {
    title: 'This page sleeps',
    text: () =>
      'The computer behind it is paused, and nothing is lost. Whoever shared the page with you can wake it; it appears here by itself then.',
    action: '',
  },
  waking: {
    title: 'Waking up',
    text: () => 'The page appears as soon as its sandbox is awake.',
    action: '',
  },
  'nothing-here': {
    title: 'Nothing answers here yet',
    text: (error) =>
      `No program in the sandbox answers on port ${portOf(error)}. The page appears when one does; if it should run, look at its log.`,
    action: 'Try again',
  },
  failed: {
    title: 'This page cannot be shown',
    text: (error) => `${error.message} ${error.remedy}`,
    action: 'Try again',
  },
}

const german: Words = {
  language: 'de',
  private: {
    title: 'Diese Seite ist privat',
    text: () =>
      'Öffnen Sie sie in threadbox aus ihrem Thread heraus. Die Adresse, die hierher führt, gilt einmal und eine Minute lang; ein geteilter Link kann beendet sein.',
    action: 'threadbox öffnen',
  },
  suspended: {
    title: 'Diese Sandbox schläft',
    text: () => 'Nichts ist verloren: Was in ihr lief, läuft nach dem Aufwachen weiter.',
    action: 'Aufwecken und Seite öffnen',
  },
  asleep: {
    title: 'Diese Seite schläft',
    text: () =>
      'Der Rechner dahinter pausiert, und nichts ist verloren. Wer die Seite mit Ihnen geteilt hat, kann ihn aufwecken; dann erscheint sie hier von selbst.',
    action: '',
  },
  waking: {
    title: 'Wacht auf',
    text: () => 'Die Seite erscheint, sobald ihre Sandbox wach ist.',
    action: '',
  },
  'nothing-here': {
    title: 'Hier antwortet noch nichts',
    text: (error) =>
      `Kein Programm in der Sandbox antwortet auf Port ${portOf(error)}. Die Seite erscheint, sobald eines antwortet; läuft es eigentlich, hilft ein Blick in sein Protokoll.`,
    action: 'Noch einmal versuchen',
  },
  failed: {
    title: 'Diese Seite lässt sich nicht zeigen',
    text: (error) => `${error.message} ${error.remedy}`,
    action: 'Noch einmal versuchen',
  },
}

/** The words for whoever sends this `Accept-Language`. */
export function pageWords(acceptLanguage: string | undefined): Words {
  return /^\s*de\b/i.test(acceptLanguage ?? '') ? german : english
}
