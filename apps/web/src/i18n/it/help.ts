import type { help as source } from '../en/help.ts'
import type { Texts } from '../texts.ts'

export const help: Texts<typeof source> = {
  title: 'Scorciatoie da tastiera',
  group: { message: 'Messaggio', app: 'App', thread: 'Thread' },
  send: 'Invia, o metti in coda mentre l’agente risponde',
  newLine: 'Nuova riga',
  commands: 'Comandi, quando il campo del messaggio è vuoto',
  editLast: 'Modifica l’ultimo messaggio, quando il campo del messaggio è vuoto',
  escape: 'Chiudi il livello superiore, poi ferma la risposta',
  palette: 'Ricerca e comandi',
  newThread: 'Nuovo thread',
  sidebar: 'Mostra o nascondi la barra laterale',
  shortcuts: 'Scorciatoie da tastiera',
  nextRegion: 'Area successiva: barra laterale, conversazione, messaggio, riquadro',
  rename: 'Rinomina il thread',
  preview: 'Mostra o nascondi l’anteprima',
  files: 'Mostra o nascondi i file',
  terminal: 'Mostra o nascondi il terminale',
  sandbox: 'Mostra o nascondi la sandbox',
  git: 'Mostra o nascondi Git',
}
