import type { common as source } from '../en/common.ts'
import type { Texts } from '../texts.ts'

export const common: Texts<typeof source> = {
  productName: 'threadbox',
  skipToMessage: 'Vai al campo del messaggio',
  skipToContent: 'Vai al contenuto',
  notifications: 'Notifiche',
  close: 'Chiudi',
  cancel: 'Annulla',
  copied: 'Copiato',
  copyFailed: 'Copia non riuscita. Il browser ha bloccato l’accesso agli appunti.',
  loading: 'Caricamento',
  learnMore: 'Scopri di più',
  docsAbout: 'Documentazione: {{topic}}',
  panes: 'Riquadri',
}
