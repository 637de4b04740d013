import type { empty as source } from '../en/empty.ts'
import type { Texts } from '../texts.ts'

export const empty: Texts<typeof source> = {
  title: 'Dieser Thread hat eine eigene Sandbox',
  direct:
    'Noch ist kein Modell verbunden, also sind Sie im <b>Direktmodus</b>: Befehle, die Sie eingeben, laufen in der Sandbox dieses Threads. Dateien und Pakete bleiben.',
  agent:
    'Sagen Sie, was Sie brauchen. {{model}} arbeitet in der Sandbox dieses Threads; Dateien, Pakete und Variablen bleiben von Nachricht zu Nachricht.',
  unknown: 'Die verbundenen Modelle konnten nicht geladen werden. Befehle gehen auch ohne.',
  commands: 'Befehle',
  run: 'Einen Shell-Befehl ausführen',
  python: 'Python ausführen und Variablen behalten',
  help: 'Alle Befehle auflisten',
  helpExample: 'zeigt, was der Direktmodus kann',
  insert: '{{command}} einfügen',
  connectTitle: 'Oder ein Modell verbinden',
  practicesTitle: 'Tipps',
  practice: {
    together: { title: 'Zusammengehöriges in einem Thread lassen', text: 'Pakete und Dateien sind dort schon da.' },
    separate: { title: 'Für jedes Vorhaben einen neuen Thread beginnen', text: 'Threads sehen einander nicht.' },
    paths: { title: 'Dateien mit ihrem Pfad nennen', text: 'Sie bleiben verfügbar, wie lang das Gespräch auch wird.' },
    scripts: {
      title: 'Um ein Skript bitten, wenn es wieder vorkommt',
      text: 'Ein gespeichertes Skript geht in jeder späteren Nachricht.',
    },
  },
}
