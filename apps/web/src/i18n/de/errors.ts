import type { ErrorWords } from '../words.ts'
import { accountErrors } from './account-errors.ts'
import { agentErrors } from './agent-errors.ts'
import { backupErrors } from './backup-errors.ts'
import { callErrors } from './call-errors.ts'
import { connectionErrors } from './connection-errors.ts'
import { machineErrors } from './machine-errors.ts'
import { networkErrors } from './network-errors.ts'
import { passkeyErrors } from './passkey-errors.ts'
import { peopleErrors } from './people-errors.ts'
import { previewErrors } from './preview-errors.ts'
import { runErrors } from './run-errors.ts'
import { sandboxErrors } from './sandbox-errors.ts'
import { secretErrors } from './secret-errors.ts'
import { signInErrors } from './sign-in-errors.ts'
import { skillErrors } from './skill-errors.ts'
import { snapshotErrors } from './snapshot-errors.ts'
import { socketErrors } from './socket-errors.ts'

const loadAgain = 'Laden Sie die Liste neu.'

/**
 * The sentences of all errors, by code. `{name}` is a detail of the error, and `{name:size}` one in bytes, shown as a size.
 */
export const errors: ErrorWords = {
  ...accountErrors,
  ...agentErrors,
  ...backupErrors,
  ...callErrors,
  ...sandboxErrors,
  ...machineErrors,
  ...networkErrors,
  ...passkeyErrors,
  ...peopleErrors,
  ...signInErrors,
  ...previewErrors,
  ...runErrors,
  ...secretErrors,
  ...socketErrors,
  ...skillErrors,
  ...snapshotErrors,
  'attachment.not-found': {
    message: 'Diesen Anhang gibt es in diesem Thread nicht.',
    remedy: 'Laden Sie die Datei noch einmal hoch.',
  },
  'call.not-found': {
    message: 'Diesen Aufruf gibt es in diesem Thread nicht.',
    remedy: 'Laden Sie das Gespräch neu; vielleicht wurde der Aufruf entfernt.',
  },
  'call.not-repeatable': {
    message: 'Einen Aufruf von {tool} können Sie nicht noch einmal ausführen.',
    remedy: 'Befehle und Python-Code können Sie noch einmal ausführen. Um anderes bitten Sie den Agenten.',
  },
  ...connectionErrors,
  'file.changed': {
    message: '{path} wurde geändert, seit die Datei gelesen wurde, und deshalb nicht überschrieben.',
    remedy: 'Lesen Sie die Datei neu, und wiederholen Sie Ihre Änderung, oder speichern Sie unter einem anderen Namen.',
  },
  'file.exists': {
    message: '{path} gibt es schon.',
    remedy: 'Nehmen Sie einen anderen Namen, oder löschen Sie zuerst, was dort ist.',
  },
  'file.is-directory': { message: '{path} ist ein Ordner, keine Datei.', remedy: 'Öffnen Sie eine Datei darin.' },
  'file.not-found': { message: '{path} gibt es nicht.', remedy: 'Prüfen Sie den Pfad.' },
  'file.folder-protected': {
    message: '{path} kann weder gelöscht noch verschoben werden: Die Sandbox braucht den Ordner.',
    remedy: 'Löschen Sie stattdessen seinen Inhalt.',
  },
  'file.path-taken': {
    message: '{path} gibt es schon.',
    remedy: 'Wählen Sie einen anderen Namen, oder löschen Sie zuerst, was dort ist.',
  },
  'file.range-outside': {
    message: 'Der angeforderte Bereich liegt außerhalb von {path} ({sizeBytes} Bytes).',
    remedy: 'Laden Sie die Datei neu.',
  },
  'file.refused': {
    message: '{path} lässt sich nicht verwenden: {problem}',
    remedy: 'Prüfen Sie den Pfad und seine Rechte.',
  },
  'guest.answer-unknown': {
    message: 'Die Sandbox hat eine Antwort gesendet, die threadbox nicht versteht: {problem}.',
    remedy: 'Versuchen Sie es noch einmal. Passiert es wieder, starten Sie die Sandbox neu.',
  },
  'guest.not-responding': {
    message: 'Die Sandbox läuft, hat aber innerhalb von {seconds} Sekunden nicht geantwortet.',
    remedy: 'Versuchen Sie es noch einmal. Passiert es wieder, starten Sie die Sandbox neu.',
  },
  'host.preparing': {
    message: 'Sandboxen können noch nicht starten: Der Host bereitet noch {what} vor.',
    remedy: 'Versuchen Sie es in ein paar Minuten noch einmal. Dauert es an, hilft `./threadbox logs host`.',
  },
  'gateway.guest-failed': {
    message: 'Der Gast-Dienst der Sandbox konnte die Anfrage nicht bearbeiten: {reason}',
    remedy: 'Versuchen Sie es noch einmal. Passiert es wieder, starten Sie die Sandbox neu.',
  },
  'gateway.path-unknown': {
    message: 'Das Gateway kennt den Pfad {path} nicht.',
    remedy: 'Verwenden Sie dieselbe Version von Server, Host-Dienst und Gateway.',
  },
  'gateway.response-unknown': {
    message: 'Die Antwort des Gateways ({status}) ist nicht verständlich.',
    remedy:
      'Vielleicht haben Gateway und Host-Dienst verschiedene Versionen: Starten Sie threadbox neu. Passiert es wieder, sehen Sie in `threadbox logs` nach.',
  },
  'gateway.unreachable': {
    message: 'Das Gateway zu den Sandboxes antwortet nicht.',
    remedy: 'Vielleicht startet es noch. Passiert es wieder, führen Sie `threadbox doctor` auf dem Server aus.',
  },
  'host.unreachable': {
    message: 'Der Host-Dienst antwortet nicht.',
    remedy: 'Vielleicht startet er noch. Passiert es wieder, führen Sie `threadbox doctor` auf dem Server aus.',
  },
  'internal.unexpected': {
    message: 'Etwas ist schiefgegangen.',
    remedy:
      'Versuchen Sie es noch einmal. Passiert es wieder, suchen Sie in `threadbox logs` nach der Kennung der Anfrage.',
  },
  'machine.disk-full': {
    message: 'Die Platte des Hosts ist voll; es lässt sich nichts Neues speichern.',
    remedy:
      'Schaffen Sie Platz auf der Platte mit dem Datenverzeichnis (`df -h` zeigt sie), und versuchen Sie es noch einmal.',
  },
  'message.empty': {
    message: 'Die Nachricht hat weder Text noch Anhang.',
    remedy: 'Schreiben Sie etwas, oder hängen Sie eine Datei an.',
  },
  'message.screenshot-not-a-picture': {
    message: 'Die Angaben zum Bildschirmfoto „{attachmentId}“ gehören zu keinem Bild im Anhang dieser Nachricht.',
    remedy: 'Laden Sie das Bild als PNG, JPEG oder WebP hoch, und nennen Sie seine Kennung in attachmentIds.',
  },
  'message.not-delivered': {
    message: 'Die Nachricht wartet noch in der Schlange.',
    remedy: 'Bearbeiten Sie sie dort.',
  },
  'message.not-found': {
    message: 'Diese Nachricht gibt es in diesem Thread nicht.',
    remedy: 'Laden Sie das Gespräch neu; vielleicht wurde die Nachricht entfernt.',
  },
  'message.not-queued': {
    message: 'Die Nachricht steht nicht mehr in der Schlange.',
    remedy: 'Sie wurde gesendet oder entfernt. Eine gesendete Nachricht können Sie bearbeiten und noch einmal senden.',
  },
  'model.address-missing': {
    message: 'Ein OpenAI-kompatibler Server braucht eine Basisadresse.',
    remedy: 'Geben Sie sie ein, zum Beispiel http://127.0.0.1:8000/v1.',
  },
  'model.key-missing': {
    message: '{provider} braucht einen API-Schlüssel.',
    remedy: 'Geben Sie einen ein, oder setzen Sie {variable} in der Umgebung des Servers.',
  },
  'model.key-not-for-address': {
    message: 'Der API-Schlüssel in {variable} wird nur an die eigene Adresse von {provider} gesendet.',
    remedy: 'Geben Sie einen Schlüssel für diese Adresse ein.',
  },
  'model.none-connected': {
    message: 'Kein Modell ist verbunden.',
    remedy: 'Verbinden Sie eines in den Einstellungen, oder nutzen Sie /run und /python, die kein Modell brauchen.',
  },
  'model.not-found': { message: 'Das Modell wurde nicht gefunden.', remedy: 'Wählen Sie eines aus der Liste.' },
  'model.owner-only': {
    message: 'Die Modelle dieser Installation dürfen nur Eigentümer und Admins ändern.',
    remedy: 'Fragen Sie eine dieser Personen.',
  },
  'output.not-found': {
    message: 'Diese Ausgabe gibt es in diesem Thread nicht.',
    remedy: 'Laden Sie das Gespräch neu; vielleicht wurde die Ausgabe entfernt.',
  },
  'queue.changed': {
    message: 'Die Schlange hat sich geändert; die neue Reihenfolge passt nicht zu ihren Nachrichten.',
    remedy: 'Laden Sie das Gespräch neu, und ordnen Sie die aktuelle Schlange.',
  },
  'queue.full': {
    message: 'In einem Thread können bis zu {limit} Nachrichten warten.',
    remedy: 'Warten Sie, bis einige gesendet sind, oder entfernen Sie welche.',
  },
  'report.not-found': {
    message: 'Der Bericht wurde in diesem Thread nicht gefunden.',
    remedy: 'Der neueste steht in GET /api/v1/threads/{id}/sandbox.',
  },
  'request.host-refused': {
    message: 'Unter dem Namen {host} antwortet diese Installation nicht.',
    remedy: 'Öffnen Sie sie unter ihrem eigenen Namen, oder fügen Sie diesen mit `--host` oder `--domain` hinzu.',
  },
  'request.invalid': {
    message: 'Die Anfrage ist ungültig: {problems}',
    remedy: 'Berichtigen Sie diese Felder, und senden Sie die Anfrage noch einmal.',
  },
  'request.not-text': {
    message: 'Die Anfrage enthält Zeichen, die kein Text sind.',
    remedy: 'Entfernen Sie sie; anderen Inhalt laden Sie als Datei hoch.',
  },
  'request.origin-refused': {
    message: 'Die Anfrage kam von einer anderen Website und wurde abgelehnt.',
    remedy: 'Nutzen Sie die App selbst, oder für Programme einen API-Schlüssel.',
  },
  'request.too-large': {
    message: 'Der Inhalt der Anfrage ist größer als {limitBytes} Bytes.',
    remedy: 'Senden Sie weniger auf einmal, oder laden Sie großen Inhalt als Datei hoch.',
  },
  'rescued.not-found': {
    message: 'Dieser Prozess steht nicht im neuesten Bericht des Threads.',
    remedy: 'Neu starten lassen sich nur Prozesse, die beim letzten Start mit dem Arbeitsspeicher geendet haben.',
  },
  'result.not-found': {
    message: 'Das Ergebnis wurde in diesem Thread nicht gefunden.',
    remedy: 'Laden Sie das Gespräch neu.',
  },
  'sandbox.disk-full': {
    message: '{path} konnte nicht geschrieben werden: Die Platte der Sandbox ist voll.',
    remedy: 'Löschen Sie Dateien in der Sandbox, oder erhöhen Sie ihre Plattengrenze in den Einstellungen.',
  },
  'sandbox.hold-invalid': {
    message: 'Sie können eine Sandbox bis zu {days} Tage wach halten.',
    remedy: 'Wählen Sie einen Zeitpunkt in den nächsten {days} Tagen.',
  },
  'sandbox.not-awake': {
    message: 'Dafür muss die Sandbox wach sein; sie ist im Zustand {state}.',
    remedy: 'Wecken Sie sie zuerst.',
  },
  'sandbox.not-ready': {
    message: 'Die Sandbox ist nicht bereit: Sie ist im Zustand {state}.',
    remedy: 'Versuchen Sie es gleich noch einmal.',
  },
  'sandbox.turn-running': {
    message: 'Die Sandbox lässt sich nicht pausieren, während der Agent antwortet.',
    remedy: 'Warten Sie, bis er fertig ist, oder stoppen Sie ihn zuerst.',
  },
  'sandbox.wait-given-up': {
    message: 'Die Anfrage wurde abgebrochen, während sie auf den Start der Sandbox wartete.',
    remedy: 'Senden Sie sie noch einmal.',
  },
  'secret.unreadable': {
    message:
      'Ein gespeicherter geheimer Wert lässt sich nicht entschlüsseln: Er wurde mit einem anderen Hauptschlüssel verschlüsselt.',
    remedy: 'Spielen Sie `master.key` aus derselben Sicherung ein wie die Datenbank, oder geben Sie den Wert neu ein.',
  },
  'server.answer-unknown': {
    message: 'Der Server hat mit Status {status} und ohne weitere Angaben geantwortet.',
    remedy: 'Vielleicht hat ein Proxy anstelle des Servers geantwortet. Versuchen Sie es noch einmal.',
  },
  'server.unreachable': {
    message: 'Der Server hat nicht geantwortet.',
    remedy: 'Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  },
  'service.failed': {
    message: 'Der Dienst „{name}“ funktioniert nicht: {problem}',
    remedy: 'Lesen Sie seine letzte Ausgabe, beheben Sie die Ursache, und starten Sie ihn noch einmal.',
  },
  'service.limit-reached': {
    message: 'Ein Thread kann bis zu {max} Dienste haben.',
    remedy:
      'Beenden oder entfernen Sie einen, oder erhöhen Sie maxServices in den Einstellungen oder für diesen Thread.',
  },
  'service.not-found': {
    message: 'Dieser Thread hat keinen Dienst mit diesem Namen.',
    remedy: 'Sehen Sie in der Liste der Dienste nach, wie sie heißen.',
  },
  'service.refused': {
    message: 'Der Dienst „{name}“ konnte nicht gestartet werden: {problem}',
    remedy: 'Ändern Sie die Angaben, und starten Sie ihn noch einmal.',
  },
  'service.unanswered': {
    message: 'Die Sandbox hat auf eine Anfrage zum Dienst „{name}“ nicht geantwortet.',
    remedy: 'Prüfen Sie ihren Zustand, und versuchen Sie es gleich noch einmal.',
  },
  'service.unsupported': {
    message: 'In dieser Sandbox läuft eine ältere Version ohne Dienste.',
    remedy: 'Starten Sie die Sandbox neu. Ihre Dateien bleiben.',
  },
  'share-link.limit-reached': {
    message: 'Ein Thread kann bis zu {max} Links haben.',
    remedy: 'Widerrufen Sie zuerst einen Link.',
  },
  'share-link.not-found': {
    message: 'Der Link wurde in diesem Thread nicht gefunden.',
    remedy: 'Sehen Sie in der Liste der Links nach; dieser kann abgelaufen sein.',
  },
  'setting.unknown': { message: 'Eine Einstellung {name} lässt sich hier nicht ändern.', remedy: loadAgain },
  'setting.value-invalid': {
    message: '{name} kann diesen Wert nicht haben: {problem}',
    remedy: 'Wählen Sie einen Wert im Bereich der Einstellung, oder lassen Sie das Feld für den Standard leer.',
  },
  'thread.not-found': {
    message: 'Der Thread wurde nicht gefunden.',
    remedy:
      'Vielleicht wurde er gelöscht. Öffnen Sie einen anderen aus der Seitenleiste, oder beginnen Sie einen neuen.',
  },
  'thread.undo-over': {
    message:
      'Dieser Thread lässt sich nicht mehr wiederherstellen: Die Frist dafür ist um, und seine Sandbox wird gelöscht.',
    remedy: 'Beginnen Sie einen neuen Thread.',
  },
  'turn.not-repeatable': {
    message: 'Dieser Thread hat keine Antwort, die sich wiederholen ließe.',
    remedy: 'Senden Sie eine Nachricht.',
  },
  'turn.running': {
    message: 'Das geht nicht, während der Agent antwortet.',
    remedy: 'Warten Sie, bis er fertig ist, oder stoppen Sie ihn zuerst.',
  },
  'upload.interrupted': {
    message: 'Das Hochladen wurde unterbrochen, bevor die ganze Datei da war. Nichts wurde gespeichert.',
    remedy: 'Laden Sie die Datei noch einmal hoch.',
  },
  'upload.no-space': {
    message: 'Die Platte des Servers ist voll; die Datei wurde nicht gespeichert.',
    remedy: 'Schaffen Sie Platz auf dem Server, oder laden Sie eine kleinere Datei hoch.',
  },
  'workspace.archived': {
    message: 'Der Arbeitsbereich {name} ist archiviert und kann keine neuen Threads aufnehmen.',
    remedy: 'Holen Sie ihn zuerst aus dem Archiv zurück.',
  },
  'workspace.name-taken': {
    message: 'Sie haben schon einen Arbeitsbereich namens {name}.',
    remedy: 'Wählen Sie einen anderen Namen, oder benennen Sie den vorhandenen um.',
  },
  'workspace.not-found': {
    message: 'Der Arbeitsbereich wurde nicht gefunden.',
    remedy: 'Vielleicht wurde er gelöscht. Wählen Sie einen anderen aus der Seitenleiste.',
  },
  'workspace.place-invalid': {
    message: 'Ein Arbeitsbereich lässt sich nicht vor sich selbst verschieben.',
    remedy: 'Nennen Sie einen anderen, vor den er verschoben werden soll, oder null für das Ende.',
  },
  'workspace.undo-over': {
    message:
      'Dieser Arbeitsbereich lässt sich nicht mehr wiederherstellen: Die Frist dafür ist um, und seine Threads werden gelöscht.',
    remedy: 'Legen Sie einen neuen Arbeitsbereich an.',
  },
}
