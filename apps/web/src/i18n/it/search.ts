import type { search as source } from '../en/search.ts'
import type { Texts } from '../texts.ts'

export const search: Texts<typeof source> = {
  label: 'Ricerca e comandi',
  placeholder: 'Cerca thread, messaggi, comandi e file',
  actions: 'Azioni',
  inThread: 'In questo thread',
  threads: 'Thread',
  recent: 'Thread recenti',
  where: { title: 'Titoli', text: 'Messaggi', command: 'Comandi', file: 'File' },
  action: {
    agents: 'Agenti',
    newThread: 'Nuovo thread',
    sidebar: 'Mostra o nascondi la barra laterale',
    settings: 'Impostazioni',
    connectModel: 'Collega un modello',
    skills: 'Skill',
    apiKeys: 'Chiavi API',
    shortcuts: 'Scorciatoie da tastiera',
    themeLight: 'Usa il tema chiaro',
    themeDark: 'Usa il tema scuro',
    themeSystem: 'Usa il tema di sistema',
    signOut: 'Esci',
  },
  searching: 'Ricerca in corso',
  nothing: 'Nessun risultato per «{{query}}».',
  nothingHint: 'Ricerca in titoli, messaggi, comandi e nomi di file.',
  failed: 'La ricerca non è riuscita. I risultati qui sopra sono stati trovati senza.',
  tooShort: 'Scrivi almeno due caratteri per cercare in messaggi, comandi e file.',
  untitled: 'Nuovo thread',
  foot: { move: 'sposta', open: 'apri', close: 'chiudi' },
}
