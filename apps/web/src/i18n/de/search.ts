import type { search as source } from '../en/search.ts'
import type { Texts } from '../texts.ts'

export const search: Texts<typeof source> = {
  label: 'Suche und Befehle',
  placeholder: 'Threads, Nachrichten, Befehle und Dateien suchen',
  actions: 'Aktionen',
  inThread: 'In diesem Thread',
  threads: 'Threads',
  recent: 'Letzte Threads',
  where: { title: 'Titel', text: 'Nachrichten', command: 'Befehle', file: 'Dateien' },
  action: {
    agents: 'Agenten',
    newThread: 'Neuer Thread',
    sidebar: 'Seitenleiste zeigen oder verbergen',
    settings: 'Einstellungen',
    connectModel: 'Modell verbinden',
    skills: 'Skills',
    apiKeys: 'API-Schlüssel',
    shortcuts: 'Tastenkürzel',
    themeLight: 'Helles Design',
    themeDark: 'Dunkles Design',
    themeSystem: 'Design des Systems',
    signOut: 'Abmelden',
  },
  searching: 'Suche läuft',
  nothing: 'Keine Ergebnisse für „{{query}}“.',
  nothingHint: 'Titel, Nachrichten, Befehle und Dateinamen wurden durchsucht.',
  failed: 'Die Suche ist fehlgeschlagen. Die Ergebnisse oben wurden ohne sie gefunden.',
  tooShort: 'Geben Sie mindestens zwei Zeichen ein, um Nachrichten, Befehle und Dateien zu durchsuchen.',
  untitled: 'Neuer Thread',
  foot: { move: 'bewegen', open: 'öffnen', close: 'schließen' },
}
