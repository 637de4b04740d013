import type { connection as source } from '../en/connection.ts'
import type { Texts } from '../texts.ts'

export const connection: Texts<typeof source> = {
  noAnswer: 'Der Server antwortet nicht. Vielleicht startet er gerade neu.',
  offline: 'Dieses Gerät ist offline.',
  lastContact: 'Letzter Kontakt {{when}}.',
  kept: 'Was Sie schreiben, bleibt erhalten.',
  retryIn_one: 'Neuer Versuch in {{count}} s.',
  retryIn_other: 'Neuer Versuch in {{count}} s.',
  trying: 'Neuer Versuch läuft.',
  retry: 'Jetzt versuchen',
  error: {
    title: 'Diese Seite ist stehen geblieben',
    text: 'Der Rest der App und alles auf dem Server ist, wie es war.',
    reload: 'Seite neu laden',
    home: 'Zur Startseite',
    details: 'Einzelheiten',
    copy: 'Einzelheiten kopieren',
  },
  notFound: {
    title: 'Unter dieser Adresse ist nichts',
    text: 'Der Thread wurde vielleicht gelöscht, oder die Adresse ist unvollständig.',
    home: 'Zur Startseite',
  },
  toast: {
    unexpected: 'Etwas ist fehlgeschlagen, das nicht hätte fehlschlagen dürfen.',
    unexpectedRemedy: 'Laden Sie die Seite neu. Geschieht es wieder, hilft ein Blick in `threadbox logs`.',
  },
  copy: 'Kopieren',
  retryLoad: 'Noch einmal versuchen',
}
