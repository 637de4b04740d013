import type { help as source } from '../en/help.ts'
import type { Texts } from '../texts.ts'

export const help: Texts<typeof source> = {
  title: 'Tastenkürzel',
  group: { message: 'Nachricht', app: 'App', thread: 'Thread' },
  send: 'Senden, oder anstellen, solange eine Antwort läuft',
  newLine: 'Neue Zeile',
  commands: 'Befehle, in einer leeren Nachricht',
  editLast: 'Letzte Nachricht ändern, in einer leeren Nachricht',
  escape: 'Schließen, was oben liegt, dann die Antwort anhalten',
  palette: 'Suche und Befehle',
  newThread: 'Neuer Thread',
  sidebar: 'Seitenleiste zeigen oder verbergen',
  shortcuts: 'Diese Liste',
  nextRegion: 'Nächster Bereich: Seitenleiste, Gespräch, Nachricht',
  rename: 'Thread umbenennen',
  preview: 'Vorschau zeigen oder verbergen',
  files: 'Dateien zeigen oder verbergen',
  terminal: 'Terminal zeigen oder verbergen',
  sandbox: 'Sandbox zeigen oder verbergen',
  git: 'Git zeigen oder verbergen',
}
