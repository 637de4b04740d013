import type { firstMinute as source } from '../en/first-minute.ts'
import type { Texts } from '../texts.ts'

export const firstMinute: Texts<typeof source> = {
  button: 'Einem Computer beim Überleben zusehen',
  buttonText:
    'Ein Zähler startet, sein Computer wird pausiert und geweckt, und die Zahl geht weiter. Dauert eine halbe Minute und braucht kein Modell.',
  threadTitle: 'Ein Computer überlebt',
  counter: 'Gezählte Sekunden',
  since: 'von Prozess $process, seit $time, nur im Speicher',
  stepOf: '{{number}} von {{total}}',
  stop: 'Hier aufhören',
  done: 'Fertig',
  failed: 'Die Vorführung endete vorzeitig',
  step: {
    starting: {
      title: 'Ein Computer startet',
      text: 'Er bekommt ein kleines Programm, das in seinem Speicher Sekunden zählt.',
    },
    counting: { title: 'Er zählt', text: 'Er ist bei {{before}}. Nichts davon steht auf einer Festplatte.' },
    pausing: { title: 'Jetzt wird er pausiert', text: 'Mitten im Zählen, mit allem, was läuft.' },
    asleep: {
      title: 'Er schläft',
      text: 'Er steht still mit allem, was im Speicher ist, und braucht keinen Prozessor.',
    },
    waking: { title: 'Jetzt wacht er auf', text: 'Sein Speicher kommt zurück, wie er war.' },
    survived: {
      title: 'Er hat überlebt',
      text: 'Er war bei {{before}}, als er pausiert wurde, und zählte weiter bis {{after}}: noch immer Prozess {{process}}. Der Bericht im Gespräch sagt, was sonst überlebt hat.',
    },
    restarted: {
      title: 'Er fing neu an',
      text: 'Sein Speicher ging verloren, darum wurde der Zähler neu gestartet und ist bei {{after}}. Der Bericht im Gespräch sagt, warum.',
    },
  },
}
