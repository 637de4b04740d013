import type { firstMinute as source } from '../en/first-minute.ts'
import type { Texts } from '../texts.ts'

export const firstMinute: Texts<typeof source> = {
  button: 'Einem Computer beim Überleben zusehen',
  buttonText:
    'Startet einen Zähler, pausiert und weckt seine Sandbox und zeigt, dass er danach weiter zählt. Dauert 30 Sekunden und braucht kein Modell.',
  threadTitle: 'Ein Computer überlebt',
  counter: 'Gezählte Sekunden',
  since: 'von Prozess $process, seit $time, nur im Speicher',
  stepOf: '{{number}} von {{total}}',
  stop: 'Hier aufhören',
  done: 'Fertig',
  failed: 'Die Vorführung endete vorzeitig',
  step: {
    starting: {
      title: 'Eine Sandbox startet',
      text: 'In ihr läuft ein kleines Programm, das im Arbeitsspeicher Sekunden zählt.',
    },
    counting: { title: 'Sie zählt', text: 'Der Zähler steht bei {{before}}. Nichts davon ist auf der Platte.' },
    pausing: { title: 'Sie wird pausiert', text: 'Mitten im Zählen, mit allem, was läuft.' },
    asleep: {
      title: 'Sie schläft',
      text: 'Alles im Arbeitsspeicher ist gesichert. Nichts läuft, und kein Prozessor wird gebraucht.',
    },
    waking: { title: 'Sie wacht auf', text: 'Der Arbeitsspeicher wird genau so wiederhergestellt, wie er war.' },
    survived: {
      title: 'Sie hat überlebt',
      text: 'Der Zähler stand bei {{before}}, als die Sandbox pausiert wurde, und zählte weiter bis {{after}}: noch immer Prozess {{process}}. Der Bericht im Gespräch führt auf, was sonst überlebt hat.',
    },
    restarted: {
      title: 'Sie begann von vorn',
      text: 'Ihr Arbeitsspeicher ging verloren, darum wurde der Zähler neu gestartet und steht bei {{after}}. Der Bericht im Gespräch erklärt, warum.',
    },
  },
}
