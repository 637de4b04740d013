import type { ErrorWords } from '../words.ts'

const lookAgain = 'Laden Sie die Seite des Agenten neu.'

/** Sentences for the errors about runs of agents and what starts them. */
export const runErrors: ErrorWords = {
  'run.approval-needed': {
    message: 'Der Lauf hätte eine Erlaubnis für {tool} gebraucht, und niemand war da, sie zu geben.',
    remedy:
      'Erlauben Sie das Werkzeug in den Einstellungen seiner Verbindung, oder erledigen Sie das in einem Thread, dem jemand zusieht.',
  },
  'run.cell-failed': {
    message: 'Der Python-Code endete mit einer Ausnahme.',
    remedy: 'Seine Ausgabe sagt, mit welcher.',
  },
  'run.command-failed': {
    message: 'Der Befehl endete mit {exitCode}.',
    remedy: 'Seine Ausgabe sagt, warum.',
  },
  'run.missed': {
    message: 'Der Server war nicht da, als der Lauf fällig war ({count}-mal, zuletzt {to}).',
    remedy: 'Stellen Sie den Zeitplan so ein, dass er Versäumtes einmal nachholt, wenn es darauf ankommt.',
  },
  'run.not-found': {
    message: 'Diesen Lauf gibt es nicht.',
    remedy: 'Läufe stehen nur eine Zeit lang in der Liste. Sehen Sie beim Agenten nach.',
  },
  'run.overlap': {
    message: 'Ein früherer Lauf des Zeitplans war noch nicht zu Ende.',
    remedy: 'Planen Sie seltener, oder lassen Sie Läufe aufeinander warten oder nebeneinander arbeiten.',
  },
  'run.queue-full': {
    message: 'Es warten schon {limit} Läufe, mehr dürfen es nicht sein.',
    remedy:
      'Warten Sie, bis einige zu Ende sind, brechen Sie welche ab, oder erhöhen Sie die Grenze in den Einstellungen.',
  },
  'run.stopped': {
    message: 'Der Lauf wurde angehalten.',
    remedy: 'Starten Sie einen neuen, wenn das nicht gewollt war.',
  },
  'run.thread-gone': {
    message: 'Der Thread des Laufs wurde gelöscht, oder seine Nachricht zurückgenommen, ehe der Lauf zu Ende war.',
    remedy: 'Starten Sie einen neuen Lauf.',
  },
  'run.trigger-limit': {
    message: 'Der Agent hat davon schon {limit}, mehr darf er nicht haben.',
    remedy: 'Löschen Sie, was nicht gebraucht wird.',
  },
  'run.trigger-not-found': {
    message: 'Diesen Zeitplan oder Webhook gibt es nicht.',
    remedy: lookAgain,
  },
  'schedule.cron-invalid': {
    message: 'Das ist kein Zeitplan: {cron}',
    remedy: 'Schreiben Sie fünf Felder: Minute, Stunde, Tag, Monat, Wochentag; etwa `30 7 * * 1-5`.',
  },
  'schedule.never-due': {
    message: 'Einen solchen Tag gibt es nie: {cron}',
    remedy: 'Wählen Sie einen Tag, den ein Monat hat.',
  },
  'schedule.time-zone-invalid': {
    message: 'Eine Zeitzone {timeZone} gibt es nicht.',
    remedy: 'Nehmen Sie einen Namen wie Europe/Berlin oder UTC.',
  },
  'webhook.disabled': { message: 'Dieser Webhook ist ausgeschaltet.', remedy: 'Schalten Sie ihn in der App ein.' },
  'webhook.headers-missing': {
    message: 'Der Anfrage fehlen die Kopfzeilen webhook-id, webhook-timestamp und webhook-signature.',
    remedy: 'Unterschreiben Sie sie, wie docs/runs.md es beschreibt.',
  },
  'webhook.out-of-time': {
    message: 'Die Anfrage wurde vor mehr als {toleranceSeconds} Sekunden unterschrieben, oder im Voraus.',
    remedy: 'Unterschreiben Sie sie beim Senden neu, und stellen Sie die Uhr des Absenders.',
  },
  'webhook.refused': {
    message: 'Diesen Webhook gibt es nicht, oder die Unterschrift ist nicht die seines Geheimnisses.',
    remedy:
      'Prüfen Sie Adresse und Geheimnis; unterschrieben wird `<webhook-id>.<webhook-timestamp>.<Inhalt>`, Byte für Byte.',
  },
  'webhook.replayed': {
    message: 'Eine Anfrage mit dieser webhook-id wurde schon angenommen; es wurde nichts noch einmal gestartet.',
    remedy: 'Geben Sie jedem Ereignis eine eigene Kennung.',
  },
}
