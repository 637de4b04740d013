import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about runs of agents and what starts them. */
export const runErrors: ErrorWords = {
  'run.approval-needed': {
    message: 'Der Lauf brauchte eine Erlaubnis für {tool}, aber Läufe sind unbeaufsichtigt.',
    remedy:
      'Erlauben Sie das Werkzeug in den Einstellungen der Verbindung, oder erledigen Sie das in einem Thread, in dem Sie es erlauben können.',
  },
  'run.cell-failed': {
    message: 'Der Python-Code des Laufs hat eine Ausnahme ausgelöst.',
    remedy: 'Der Traceback in der Ausgabe des Laufs zeigt, welche.',
  },
  'run.command-failed': {
    message: 'Der Befehl endete mit {exitCode}.',
    remedy: 'Seine Ausgabe zeigt, warum.',
  },
  'run.missed': {
    message: 'Der Server lief nicht, als der Lauf fällig war ({count}-mal, zuletzt {to}).',
    remedy: 'Um Versäumtes nachzuholen, stellen Sie den Zeitplan auf einmaliges Nachholen.',
  },
  'run.not-found': {
    message: 'Der Lauf wurde nicht gefunden.',
    remedy: 'Läufe stehen nur eine Zeit lang in der Liste. Sehen Sie bei den Läufen des Agenten nach.',
  },
  'run.overlap': {
    message: 'Der vorige Lauf des Zeitplans war noch nicht zu Ende.',
    remedy: 'Planen Sie seltener, oder lassen Sie Läufe aufeinander warten oder sich überschneiden.',
  },
  'run.queue-full': {
    message: 'Die Warteschlange der Läufe ist voll ({limit} Läufe).',
    remedy:
      'Warten Sie, bis einige zu Ende sind, brechen Sie welche ab, oder erhöhen Sie die Grenze in den Einstellungen.',
  },
  'run.stopped': {
    message: 'Der Lauf wurde angehalten.',
    remedy: 'Starten Sie einen neuen, wenn das nicht gewollt war.',
  },
  'run.thread-gone': {
    message: 'Der Thread des Laufs wurde gelöscht oder seine Nachricht entfernt, ehe der Lauf zu Ende war.',
    remedy: 'Starten Sie einen neuen Lauf.',
  },
  'run.trigger-limit': {
    message: 'Ein Agent kann bis zu {limit} Zeitpläne und {limit} Webhooks haben.',
    remedy: 'Löschen Sie, was Sie nicht brauchen.',
  },
  'run.trigger-not-found': {
    message: 'Der Zeitplan oder Webhook wurde nicht gefunden.',
    remedy: 'Vielleicht wurde er gelöscht. Laden Sie die Seite des Agenten neu.',
  },
  'schedule.cron-invalid': {
    message: 'Dieser Cron-Ausdruck ist ungültig: {cron}',
    remedy: 'Schreiben Sie fünf Felder: Minute, Stunde, Tag, Monat, Wochentag. Beispiel: `30 7 * * 1-5`.',
  },
  'schedule.never-due': {
    message: 'Dieser Zeitplan wird nie fällig: {cron}',
    remedy: 'Wählen Sie einen Tag, den es gibt.',
  },
  'schedule.time-zone-invalid': {
    message: 'Unbekannte Zeitzone: {timeZone}',
    remedy: 'Nehmen Sie einen Namen wie Europe/Berlin oder UTC.',
  },
  'webhook.disabled': { message: 'Dieser Webhook ist ausgeschaltet.', remedy: 'Schalten Sie ihn in der App ein.' },
  'webhook.headers-missing': {
    message: 'Die Anfrage braucht die Header webhook-id, webhook-timestamp und webhook-signature.',
    remedy: 'Signieren Sie sie, wie docs/runs.md es beschreibt.',
  },
  'webhook.out-of-time': {
    message: 'Der Zeitstempel der Anfrage weicht mehr als {toleranceSeconds} Sekunden von der Zeit des Servers ab.',
    remedy: 'Signieren Sie jede Anfrage beim Senden, und prüfen Sie die Uhr des Absenders.',
  },
  'webhook.refused': {
    message: 'Den Webhook gibt es nicht, oder die Signatur passt nicht zu seinem Geheimnis.',
    remedy: 'Prüfen Sie Adresse und Geheimnis, und signieren Sie genau `<webhook-id>.<webhook-timestamp>.<body>`.',
  },
  'webhook.replayed': {
    message: 'Eine Anfrage mit dieser webhook-id wurde schon angenommen; es wurde kein Lauf gestartet.',
    remedy: 'Geben Sie jedem Ereignis eine eigene Kennung.',
  },
}
