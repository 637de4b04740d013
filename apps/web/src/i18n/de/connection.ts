import type { connection as source } from '../en/connection.ts'
import type { Texts } from '../texts.ts'

export const connection: Texts<typeof source> = {
  noAnswer: 'Der Server antwortet nicht. Vielleicht startet er gerade neu.',
  offline: 'Sie sind offline.',
  lastContact: 'Letzte Antwort {{when}}.',
  kept: 'Ihr Entwurf bleibt erhalten.',
  retryIn_one: 'Neuer Versuch in {{count}} s.',
  retryIn_other: 'Neuer Versuch in {{count}} s.',
  trying: 'Neuer Versuch läuft.',
  retry: 'Jetzt versuchen',
  error: {
    title: 'Diese Seite ist abgestürzt',
    text: 'Der Rest der App und Ihre Daten auf dem Server sind nicht betroffen.',
    reload: 'Seite neu laden',
    home: 'Zur Startseite',
    details: 'Einzelheiten',
    copy: 'Einzelheiten kopieren',
  },
  notFound: {
    title: 'Seite nicht gefunden',
    text: 'Der Thread wurde vielleicht gelöscht, oder der Link ist unvollständig.',
    home: 'Zur Startseite',
  },
  toast: {
    unexpected: 'Etwas ist schiefgegangen.',
    unexpectedRemedy: 'Laden Sie die Seite neu. Geschieht es wieder, sehen Sie in `threadbox logs` nach.',
  },
  copy: 'Kopieren',
  retryLoad: 'Noch einmal versuchen',
}
