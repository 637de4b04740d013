import type { empty as source } from '../en/empty.ts'
import type { Texts } from '../texts.ts'

export const empty: Texts<typeof source> = {
  title: 'Questo thread ha un computer tutto suo',
  direct:
    'Non c’è ancora un modello collegato, quindi sei in <b>modalità diretta</b>: i comandi che scrivi vengono eseguiti nella sandbox di questo thread. File e pacchetti restano.',
  agent:
    'Chiedi quello che vuoi. {{model}} lavora nella sandbox di questo thread; file, pacchetti e variabili restano da un messaggio all’altro.',
  unknown: 'Impossibile caricare i modelli collegati. I comandi funzionano anche senza.',
  commands: 'Comandi',
  run: 'Esegui un comando della shell',
  python: 'Esegui Python e conserva le variabili',
  help: 'Elenca tutti i comandi',
  helpExample: 'che cosa sa fare la modalità diretta',
  insert: 'Inserisci {{command}}',
  connectTitle: 'Oppure collega un modello',
  practicesTitle: 'Suggerimenti',
  practice: {
    together: { title: 'Tieni in un thread ciò che va insieme', text: 'I suoi pacchetti e file sono già lì.' },
    separate: { title: 'Inizia un nuovo thread per ogni progetto', text: 'I thread non si vedono tra loro.' },
    paths: {
      title: 'Indica i file con il percorso',
      text: 'Restano disponibili, per quanto lunga diventi la conversazione.',
    },
    scripts: {
      title: 'Chiedi uno script, se ti servirà di nuovo',
      text: 'Uno script salvato funziona in ogni messaggio successivo.',
    },
  },
}
