import type { sandbox as source } from '../en/sandbox.ts'
import type { Texts } from '../texts.ts'

export const sandbox: Texts<typeof source> = {
  title: 'Sandbox',
  chip: 'Einzelheiten zur Sandbox',
  inWords: ', Sandbox {{state}}',
  freshDetail: 'startet mit dem ersten Befehl',
  since: 'Seit',
  why: 'Warum',
  memory: 'Arbeitsspeicher',
  cpus: 'CPUs',
  processes: 'Prozesse',
  disk: 'Speicherplatz',
  upTo: 'bis {{amount}}',
  limits: 'Grenzen',
  state: {
    fresh: 'Neu',
    starting: 'Startet',
    active: 'Aktiv',
    pausing: 'Pausiert gleich',
    paused: 'Pausiert',
    waking: 'Wacht auf',
    cold: 'Kalt',
    archived: 'Archiviert',
    error: 'Fehler',
    deleting: 'Wird gelöscht',
  },
  meaning: {
    fresh: 'Noch keine Sandbox. Sie startet mit dem ersten Befehl.',
    starting: 'Startet von ihrer Platte. Was Sie senden, wartet.',
    active: 'Läuft und ist bereit.',
    pausing: 'Der Arbeitsspeicher wird gesichert. Was Sie senden, wartet.',
    paused: 'Der Arbeitsspeicher ist gesichert. Eine Nachricht weckt sie.',
    waking: 'Kommt zurück. Was Sie senden, wartet.',
    cold: 'Die Platte ist erhalten, der Arbeitsspeicher nicht. Eine Nachricht startet sie.',
    archived: 'Nur lesbar. Zum Benutzen wiederherstellen.',
    error: 'Die Sandbox konnte nicht starten. Die Dateien auf ihrer Platte sind erhalten.',
    deleting: 'Wird mit ihren Dateien entfernt.',
  },
  detail: {
    awake: { turn: 'Agent arbeitet' },
  },
}
