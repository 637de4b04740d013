import type { help as source } from '../en/help.ts'
import type { Texts } from '../texts.ts'

export const help: Texts<typeof source> = {
  title: 'Tastenkürzel',
  group: { message: 'Nachricht', app: 'App', thread: 'Thread' },
  send: 'Senden, oder einreihen, solange der Agent antwortet',
  newLine: 'Neue Zeile',
  commands: 'Befehle, wenn das Nachrichtenfeld leer ist',
  editLast: 'Letzte Nachricht bearbeiten, wenn das Nachrichtenfeld leer ist',
  escape: 'Oberste Ebene schließen, dann die Antwort stoppen',
  palette: 'Suche und Befehle',
  newThread: 'Neuer Thread',
  sidebar: 'Seitenleiste zeigen oder verbergen',
  shortcuts: 'Tastenkürzel',
  nextRegion: 'Nächster Abschnitt: Seitenleiste, Gespräch, Nachricht, Bereich',
  rename: 'Thread umbenennen',
  preview: 'Vorschau zeigen oder verbergen',
  files: 'Dateien zeigen oder verbergen',
  terminal: 'Terminal zeigen oder verbergen',
  sandbox: 'Sandbox zeigen oder verbergen',
  git: 'Git zeigen oder verbergen',
}
