import type { firstMinute as source } from '../en/first-minute.ts'
import type { Texts } from '../texts.ts'

export const firstMinute: Texts<typeof source> = {
  button: 'Guarda un computer sopravvivere',
  buttonText:
    'Avvia un contatore, mette in pausa e risveglia la sua sandbox, e mostra che il conteggio continua. Dura 30 secondi e non serve un modello.',
  threadTitle: 'Un computer che sopravvive',
  counter: 'Secondi contati',
  since: 'dal processo $process, dalle $time, solo in memoria',
  stepOf: '{{number}} di {{total}}',
  stop: 'Ferma qui',
  done: 'Fine',
  failed: 'La dimostrazione si è fermata prima della fine',
  step: {
    starting: { title: 'Avvio di una sandbox', text: 'Esegue un piccolo programma che conta i secondi in memoria.' },
    counting: { title: 'Conteggio', text: 'Il conteggio è a {{before}}. Sul disco non c’è nulla.' },
    pausing: { title: 'Va in pausa', text: 'A metà del conteggio, con tutto ciò che è in esecuzione.' },
    asleep: {
      title: 'Dorme',
      text: 'Tutto ciò che è in memoria è salvato. Non c’è nulla in esecuzione e la CPU non viene usata.',
    },
    waking: { title: 'Si risveglia', text: 'La memoria viene ripristinata esattamente com’era.' },
    survived: {
      title: 'È sopravvissuta',
      text: 'Il conteggio era a {{before}} alla pausa ed è continuato fino a {{after}}: è ancora il processo {{process}}. Il rapporto nella conversazione elenca che cos’altro è sopravvissuto.',
    },
    restarted: {
      title: 'È ripartita da zero',
      text: 'La sua memoria è andata persa, quindi il contatore è ripartito ed è a {{after}}. Il rapporto nella conversazione spiega perché.',
    },
  },
}
