import type { empty as source } from '../en/empty.ts'
import type { Texts } from '../texts.ts'

export const empty: Texts<typeof source> = {
  title: 'Dieser Thread hat einen eigenen Computer',
  direct:
    'Noch ist kein Modell verbunden, also sind Sie im <b>Direktmodus</b>: Ein Befehl, den Sie eingeben, läuft in der Sandbox dieses Threads. Dateien und Pakete bleiben.',
  agent:
    'Sagen Sie, was Sie brauchen. {{model}} arbeitet in der Sandbox dieses Threads; Dateien, Pakete und Variablen bleiben für die nächste Nachricht.',
  unknown: 'Welche Modelle verbunden sind, ließ sich nicht lesen. Befehle gehen auch ohne.',
  commands: 'Befehle',
  run: 'Einen Shell-Befehl ausführen',
  python: 'Python ausführen, Variablen bleiben',
  help: 'Alle Befehle auflisten',
  helpExample: 'was der Direktmodus kann',
  insert: '{{command}} in das Nachrichtenfeld setzen',
  connectTitle: 'Oder ein Modell verbinden',
  practicesTitle: 'Vier Gewohnheiten',
  practice: {
    together: { title: 'Zusammengehöriges in einem Thread lassen', text: 'Pakete und Dateien sind dort schon da.' },
    separate: { title: 'Für ein anderes Vorhaben einen anderen Thread', text: 'Threads sehen einander nicht.' },
    paths: { title: 'Dateien mit ihrem Pfad nennen', text: 'Sie bleiben, auch wenn das Gespräch lang wird.' },
    scripts: { title: 'Um ein Skript bitten, wenn es wieder vorkommt', text: 'Eine Datei überdauert jede Antwort.' },
  },
}
