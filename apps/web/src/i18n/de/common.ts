import type { common as source } from '../en/common.ts'
import type { Texts } from '../texts.ts'

export const common: Texts<typeof source> = {
  productName: 'threadbox',
  skipToMessage: 'Zum Nachrichtenfeld springen',
  skipToContent: 'Zum Inhalt springen',
  notifications: 'Mitteilungen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  copied: 'Kopiert',
  copyFailed: 'Das Kopieren ist fehlgeschlagen. Der Browser hat den Zugriff auf die Zwischenablage verweigert.',
  loading: 'Wird geladen',
  learnMore: 'Mehr dazu',
  docsAbout: 'Dokumentation: {{topic}}',
  panes: 'Bereiche',
}
