import type { ErrorWords } from '../words.ts'
import { agentErrors } from './agent-errors.ts'
import { connectionErrors } from './connection-errors.ts'
import { runErrors } from './run-errors.ts'
import { skillErrors } from './skill-errors.ts'
import { snapshotErrors } from './snapshot-errors.ts'
import { socketErrors } from './socket-errors.ts'

const loadAgain = 'Laden Sie die Liste neu.'
const readAgain = 'Laden Sie das Gespräch neu; vielleicht wurde es entfernt.'

/** Sentences for the errors that a person can meet in the app, by code. `{name}` is a detail of the error. */
export const errors: ErrorWords = {
  ...agentErrors,
  ...runErrors,
  ...socketErrors,
  ...skillErrors,
  ...snapshotErrors,
  'api-key.not-found': { message: 'Einen API-Schlüssel mit dieser Kennung gibt es nicht.', remedy: loadAgain },
  'attachment.not-found': {
    message: 'Diesen Anhang gibt es in diesem Thread nicht.',
    remedy: 'Laden Sie die Datei noch einmal hoch.',
  },
  'auth.credentials-wrong': {
    message: 'E-Mail-Adresse und Passwort gehören nicht zusammen.',
    remedy: 'Prüfen Sie beides, auch die Feststelltaste.',
  },
  'auth.email-taken': {
    message: 'Mit dieser E-Mail-Adresse gibt es schon ein Konto.',
    remedy: 'Melden Sie sich an, oder nehmen Sie eine andere Adresse.',
  },
  'auth.owner-required': {
    message: 'Das darf nur, wem diese Installation gehört.',
    remedy: 'Fragen Sie die Eigentümerin oder den Eigentümer.',
  },
  'auth.owner-token-wrong': {
    message: 'Diesen Anmelde-Link hat die Installation nicht ausgegeben.',
    remedy: 'Nehmen Sie den neuesten Link von `./threadbox up`.',
  },
  'auth.required': { message: 'Dafür müssen Sie angemeldet sein.', remedy: 'Melden Sie sich an.' },
  'auth.session-required': {
    message: 'Das kann nur eine angemeldete Person, kein API-Schlüssel.',
    remedy: 'Melden Sie sich in der App an und tun Sie es dort.',
  },
  'auth.sign-up-closed': {
    message: 'Diese Installation hat schon eine Eigentümerin oder einen Eigentümer.',
    remedy: 'Melden Sie sich an.',
  },
  'auth.too-many-attempts': {
    message: 'Zu viele Versuche. Der nächste geht in {retryAfterSeconds} s.',
    remedy: 'Warten Sie und versuchen Sie es dann noch einmal.',
  },
  'call.not-found': { message: 'Diesen Aufruf gibt es in diesem Thread nicht.', remedy: readAgain },
  'call.not-repeatable': {
    message: 'Ein Aufruf von {tool} lässt sich nicht von Hand wiederholen.',
    remedy: 'Befehle und Python gehen; um anderes bitten Sie den Agenten.',
  },
  ...connectionErrors,
  'file.changed': {
    message: '{path} wurde inzwischen geändert und deshalb nicht überschrieben.',
    remedy: 'Lesen Sie die Datei neu, oder speichern Sie unter einem anderen Namen.',
  },
  'file.exists': {
    message: 'Unter {path} gibt es schon etwas.',
    remedy: 'Nehmen Sie einen anderen Namen, oder entfernen Sie zuerst, was dort ist.',
  },
  'file.is-directory': { message: '{path} ist ein Ordner, keine Datei.', remedy: 'Öffnen Sie eine Datei darin.' },
  'file.not-found': { message: 'Unter {path} gibt es keine Datei.', remedy: 'Prüfen Sie den Pfad.' },
  'file.folder-protected': {
    message: 'Dieser Ordner kann weder gelöscht noch verschoben werden: Die Sandbox braucht ihn.',
    remedy: 'Löschen Sie stattdessen, was darin liegt.',
  },
  'file.path-taken': {
    message: 'Unter {path} gibt es schon etwas.',
    remedy: 'Nehmen Sie einen anderen Namen, oder entfernen Sie zuerst, was dort ist.',
  },
  'file.range-outside': {
    message: 'Der verlangte Teil liegt außerhalb der Datei.',
    remedy: 'Laden Sie die Datei neu.',
  },
  'file.refused': { message: '{path} ging nicht: {problem}', remedy: 'Prüfen Sie Pfad und Rechte.' },
  'guest.answer-unknown': {
    message: 'Die Sandbox hat unverständlich geantwortet: {problem}.',
    remedy: 'Versuchen Sie es noch einmal; wenn es bleibt, starten Sie die Sandbox neu.',
  },
  'host.preparing': {
    message: 'Sandboxen können noch nicht starten: {what} wird noch vorbereitet.',
    remedy: 'Warten Sie, bis die Installation fertig ist.',
  },
  'host.unreachable': {
    message: 'Der Dienst, der auf diesem Rechner die Sandboxen betreibt, antwortet nicht.',
    remedy: 'Vielleicht startet er noch. Bleibt es so, hilft `threadbox doctor` auf dem Server.',
  },
  'internal.unexpected': {
    message: 'Etwas ist fehlgeschlagen, das nicht hätte fehlschlagen dürfen.',
    remedy: 'Versuchen Sie es noch einmal. Geschieht es wieder, steht in `threadbox logs` mehr.',
  },
  'machine.disk-full': {
    message: 'Die Platte des Rechners ist voll, deshalb lässt sich nichts Neues aufzeichnen.',
    remedy:
      'Schaffen Sie Platz auf der Platte mit dem Datenverzeichnis (`df -h` zeigt, wie viel fehlt), und versuchen Sie es noch einmal.',
  },
  'message.empty': {
    message: 'Die Nachricht hat weder Text noch Anhang.',
    remedy: 'Schreiben Sie etwas, oder hängen Sie eine Datei an.',
  },
  'message.screenshot-not-a-picture': {
    message: 'Die Angaben zum Bildschirmfoto „{attachmentId}“ gehören zu keinem Bild im Anhang dieser Nachricht.',
    remedy: 'Laden Sie das Bild als PNG, JPEG oder WebP hoch und nennen Sie es auch in attachmentIds.',
  },
  'message.not-delivered': {
    message: 'Die Nachricht wartet noch in der Schlange.',
    remedy: 'Ändern Sie sie dort; sie ist noch nicht gesendet.',
  },
  'message.not-found': { message: 'Diese Nachricht gibt es in diesem Thread nicht.', remedy: readAgain },
  'message.not-queued': {
    message: 'Die Nachricht wartet nicht mehr.',
    remedy: 'Sie wurde zugestellt oder entfernt. Eine zugestellte lässt sich ändern und neu senden.',
  },
  'model.address-missing': {
    message: 'Ein OpenAI-kompatibler Server braucht eine Adresse.',
    remedy: 'Geben Sie seine Basisadresse ein, zum Beispiel http://127.0.0.1:8000/v1.',
  },
  'model.key-missing': {
    message: 'Eine Verbindung zu {provider} braucht einen API-Schlüssel, und es gibt keinen.',
    remedy: 'Geben Sie ihn ein, oder setzen Sie {variable} in der Umgebung des Servers.',
  },
  'model.none-connected': {
    message: 'Kein Modell ist verbunden, also kann niemand antworten.',
    remedy: 'Verbinden Sie eines in den Einstellungen, oder nutzen Sie /run und /python.',
  },
  'model.not-found': { message: 'Dieses Modell ist nicht verbunden.', remedy: 'Wählen Sie eines aus der Liste.' },
  'model.owner-only': {
    message: 'Nur wem diese Installation gehört, darf ihre Modelle ändern.',
    remedy: 'Fragen Sie die Eigentümerin oder den Eigentümer.',
  },
  'output.not-found': { message: 'Diese Ausgabe gibt es in diesem Thread nicht.', remedy: readAgain },
  'preview.asleep': {
    message: 'Die Sandbox dieser Seite schläft, und der Link, der hierher führte, weckt sie nicht.',
    remedy: 'Bitten Sie, wer ihn geteilt hat, sie aufzuwecken; dann erscheint die Seite.',
  },
  'preview.broken-off': {
    message: 'Der Dienst auf Port {port} nahm die Anfrage an und antwortete nicht: {reason}',
    remedy: 'Sehen Sie in das Protokoll des Dienstes, und versuchen Sie es dann noch einmal.',
  },
  'preview.cookies-blocked': {
    message:
      'Dieser Browser behält keine Cookies von Seiten in einem Rahmen; ohne sie bleiben Vorschauen verschlossen.',
    remedy: 'Erlauben Sie im Browser Cookies für {wildcard}, oder öffnen Sie Vorschauen in einem eigenen Tab.',
  },
  'preview.foreign-request': {
    message: 'Eine Seite von anderswo hat diese Anfrage gesendet.',
    remedy: 'Senden Sie sie von einer Seite desselben Threads.',
  },
  'preview.malformed-request': {
    message:
      'Die Anfrage ist keine, wie ein Browser sie sendet: Ihre Adresse, ihr Host oder die Länge ihres Inhalts ist unklar.',
    remedy: 'Senden Sie sie mit einem Host, einem Pfad und einer eindeutigen Länge.',
  },
  'preview.names-elsewhere': {
    message: 'Dieser Browser erreicht {name} nicht, obwohl die App ihm antwortet.',
    remedy:
      'Lassen Sie {wildcard} zum selben Rechner führen wie den Namen der App, und einen Proxy davor diese Namen mit ihrem Host weitergeben.',
  },
  'preview.names-local': {
    message: 'Dieser Browser findet {name} nicht, obwohl Namen unter localhost sein eigener Rechner sind.',
    remedy:
      'Öffnen Sie threadbox in einem Browser, der solche Namen kennt, wie Chrome, Edge und Firefox, oder geben Sie der Installation einen Namen mit `threadbox up --domain`.',
  },
  'preview.names-missing': {
    message: 'Vorschauen liegen unter {wildcard}, und solche Namen führen nirgendwohin.',
    remedy: 'Legen Sie einen DNS-Eintrag für {wildcard} an, der dorthin führt, wohin der Name der App führt.',
  },
  'preview.names-untrusted': {
    message: 'Dieser Browser erreicht https://{name} nicht, obwohl die App ihm antwortet.',
    remedy:
      'Geben Sie dem Proxy, der TLS beendet, ein Zertifikat für {wildcard}, und lassen Sie ihn diese Namen mit ihrem Host weitergeben.',
  },
  'preview.no-name': {
    message:
      'Vorschauen brauchen Namen, und diese Installation hat nur Namen unter localhost, also auf Ihrem eigenen Rechner.',
    remedy:
      'Rufen Sie `ssh -L {port}:127.0.0.1:{port}` zum Server auf, und öffnen Sie die Adresse, die `threadbox status` nennt, oder geben Sie der Installation einen Namen mit `threadbox up --domain`.',
  },
  'preview.nothing-here': {
    message: 'Auf Port {port} der Sandbox antwortet nichts.',
    remedy: 'Starten Sie den Dienst, oder sehen Sie in sein Protokoll, falls er laufen müsste.',
  },
  'preview.other-name': {
    message: 'Vorschauen gehen hier nicht: In einem Rahmen behält ein Browser keine Cookies einer anderen Website.',
    remedy: 'Öffnen Sie die App stattdessen unter {address}: Dort haben die Vorschauen denselben Namen.',
  },
  'preview.port-reserved': {
    message: 'Port {port} gehört der Sandbox selbst.',
    remedy: 'Lassen Sie den Dienst auf einem anderen Port lauschen.',
  },
  'preview.private': {
    message: 'Diese Seite ist privat, und dieser Browser darf sie nicht sehen.',
    remedy: 'Öffnen Sie sie in threadbox noch einmal aus ihrem Thread heraus.',
  },
  'preview.sockets-blocked': {
    message:
      'Seiten von Vorschauen können keinen WebSocket öffnen: Etwas zwischen diesem Browser und threadbox verwirft ihn.',
    remedy:
      'Lassen Sie den Proxy davor WebSockets für {wildcard} weitergeben (die Kopfzeilen Upgrade und Connection, mit HTTP/1.1).',
  },
  'preview.suspended': {
    message: 'Die Sandbox dieser Seite schläft. Was eine Seite von selbst anfragt, weckt sie nicht.',
    remedy: 'Wecken Sie sie in threadbox, oder öffnen Sie die Seite neu.',
  },
  'preview.waking': {
    message: 'Die Sandbox dieser Seite wacht auf.',
    remedy: 'Versuchen Sie es gleich noch einmal.',
  },
  'queue.changed': {
    message: 'Die Schlange hat sich geändert, die neue Reihenfolge passt nicht mehr.',
    remedy: 'Laden Sie das Gespräch neu und ordnen Sie, was da ist.',
  },
  'queue.full': {
    message: 'In einem Thread können höchstens {limit} Nachrichten warten.',
    remedy: 'Warten Sie, bis einige zugestellt sind, oder entfernen Sie welche.',
  },
  'report.not-found': {
    message: 'Diesen Bericht gibt es in diesem Thread nicht.',
    remedy: 'Der neueste steht in GET /api/v1/threads/{id}/sandbox.',
  },
  'request.host-refused': {
    message: 'Unter dem Namen {host} antwortet diese Installation nicht.',
    remedy: 'Öffnen Sie sie unter ihrem eigenen Namen, oder geben Sie ihr diesen mit `--host` oder `--domain`.',
  },
  'request.invalid': {
    message: 'Die Anfrage geht so nicht: {problems}',
    remedy: 'Berichtigen Sie, was genannt ist, und senden Sie noch einmal.',
  },
  'request.not-text': {
    message: 'Der Text enthält Zeichen, die keine sind.',
    remedy: 'Entfernen Sie sie; anderer Inhalt gehört in eine Datei.',
  },
  'request.origin-refused': {
    message: 'Die Anfrage kam nicht von dieser App und wurde nicht ausgeführt.',
    remedy: 'Nutzen Sie die App selbst, oder für Programme einen API-Schlüssel.',
  },
  'request.too-large': {
    message: 'Das ist größer als {limitBytes} Bytes.',
    remedy: 'Senden Sie weniger auf einmal; Großes geht als Datei.',
  },
  'rescued.not-found': {
    message: 'Der neueste Bericht dieses Threads nennt keinen solchen Prozess.',
    remedy: 'Neu starten lässt sich nur, was beim letzten Start mit dem Arbeitsspeicher geendet hat.',
  },
  'result.not-found': {
    message: 'Dieses Ergebnis gibt es in diesem Thread nicht.',
    remedy: 'Laden Sie das Gespräch neu.',
  },
  'sandbox.disk-full': {
    message: '{path} wurde nicht geschrieben: Die Platte der Sandbox ist voll.',
    remedy: 'Löschen Sie Dateien darin, oder erhöhen Sie ihre Grenze in den Einstellungen.',
  },
  'sandbox.hold-invalid': {
    message: 'Eine Sandbox kann bis zu einem Zeitpunkt in den nächsten {days} Tagen wach gehalten werden.',
    remedy: 'Wählen Sie ein früheres Ende, oder senden Sie es später noch einmal.',
  },
  'sandbox.not-awake': {
    message: 'Dafür muss die Sandbox wach sein; sie ist im Zustand {state}.',
    remedy: 'Wecken Sie sie zuerst.',
  },
  'sandbox.not-ready': {
    message: 'Die Sandbox geht gerade nicht: Sie ist im Zustand {state}.',
    remedy: 'Versuchen Sie es gleich noch einmal.',
  },
  'sandbox.turn-running': {
    message: 'Die Sandbox wurde nicht pausiert: In ihr entsteht gerade eine Antwort.',
    remedy: 'Warten Sie, bis sie fertig ist, oder halten Sie sie zuerst an.',
  },
  'sandbox.wait-given-up': {
    message: 'Die Sandbox wurde nicht gestartet: Wer auf einen Platz gewartet hat, hat aufgegeben.',
    remedy: 'Senden Sie die Anfrage noch einmal.',
  },
  'secret.unreadable': {
    message:
      'Ein gespeicherter Schlüssel lässt sich nicht lesen: Er wurde mit einem anderen Hauptschlüssel versiegelt.',
    remedy: 'Spielen Sie `master.key` aus derselben Sicherung ein wie die Datenbank, oder geben Sie ihn neu ein.',
  },
  'server.answer-unknown': {
    message: 'Der Server hat mit Status {status} und ohne Erklärung geantwortet.',
    remedy: 'Vielleicht hat etwas dazwischen an seiner Stelle geantwortet. Versuchen Sie es noch einmal.',
  },
  'server.unreachable': {
    message: 'Der Server hat nicht geantwortet.',
    remedy: 'Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  },
  'service.failed': {
    message: 'Der Dienst „{name}“ läuft nicht, wie er soll: {problem}',
    remedy: 'Lesen Sie seine letzten Zeilen, beheben Sie, was sie nennen, und starten Sie ihn noch einmal.',
  },
  'service.limit-reached': {
    message: 'Der Thread hat schon {max} Dienste, mehr darf er nicht haben.',
    remedy: 'Halten Sie einen davon an, oder erhöhen Sie maxServices in den Einstellungen oder für diesen Thread.',
  },
  'service.not-found': {
    message: 'Dieser Thread hat keinen Dienst mit diesem Namen.',
    remedy: 'Sehen Sie in der Liste der Dienste nach, wie sie heißen.',
  },
  'service.refused': {
    message: 'Der Dienst „{name}“ wurde nicht gestartet: {problem}',
    remedy: 'Ändern Sie die Angaben, und starten Sie ihn noch einmal.',
  },
  'service.unanswered': {
    message: 'Die Sandbox hat nicht geantwortet, als es um den Dienst „{name}“ ging.',
    remedy: 'Sehen Sie nach, in welchem Zustand sie ist, und versuchen Sie es gleich noch einmal.',
  },
  'service.unsupported': {
    message: 'Diese Sandbox wurde von einer früheren Version gestartet, die keine Dienste kennt.',
    remedy: 'Starten Sie die Sandbox neu: Ihre Dateien bleiben.',
  },
  'share-link.limit-reached': {
    message: 'Der Thread hat schon {max} Links, mehr darf er nicht haben.',
    remedy: 'Beenden Sie zuerst einen davon.',
  },
  'share-link.not-found': {
    message: 'Dieser Thread hat keinen solchen Link.',
    remedy: 'Sehen Sie in der Liste der Links nach: Er kann inzwischen zu Ende sein.',
  },
  'session.not-found': { message: 'Diese Anmeldung gibt es nicht mehr.', remedy: loadAgain },
  'setting.unknown': { message: 'Eine Einstellung {name} lässt sich hier nicht ändern.', remedy: loadAgain },
  'setting.value-invalid': {
    message: '{name} kann nicht so gesetzt werden: {problem}',
    remedy: 'Wählen Sie einen Wert im Bereich, oder lassen Sie das Feld für den Standard leer.',
  },
  'thread.not-found': {
    message: 'Diesen Thread gibt es nicht.',
    remedy: 'Vielleicht wurde er gelöscht. Öffnen Sie einen aus der Seitenleiste, oder beginnen Sie einen neuen.',
  },
  'thread.undo-over': {
    message: 'Der Thread lässt sich nicht mehr zurückholen: Die Zeit ist um, seine Sandbox wird entfernt.',
    remedy: 'Beginnen Sie einen neuen Thread.',
  },
  'turn.not-repeatable': {
    message: 'In diesem Thread gibt es keine Antwort, um die noch einmal gebeten werden könnte.',
    remedy: 'Senden Sie eine Nachricht.',
  },
  'turn.running': {
    message: 'In diesem Thread läuft eine Antwort, deshalb geht das jetzt nicht.',
    remedy: 'Warten Sie, bis sie endet, oder halten Sie sie an.',
  },
  'upload.interrupted': {
    message: 'Das Hochladen brach ab, bevor die ganze Datei da war; nichts davon wurde behalten.',
    remedy: 'Senden Sie die Datei noch einmal.',
  },
  'upload.no-space': {
    message: 'Die Platte des Servers ist voll, die Datei wurde nicht behalten.',
    remedy: 'Schaffen Sie Platz auf dem Server, oder senden Sie eine kleinere Datei.',
  },
  'workspace.archived': {
    message: 'Der Arbeitsbereich {name} ist archiviert und nimmt keine Threads mehr auf.',
    remedy: 'Holen Sie ihn zuerst aus dem Archiv zurück.',
  },
  'workspace.name-taken': {
    message: 'Sie haben schon einen Arbeitsbereich {name}.',
    remedy: 'Nehmen Sie einen anderen Namen, oder benennen Sie den anderen zuerst um.',
  },
  'workspace.not-found': {
    message: 'Diesen Arbeitsbereich gibt es nicht.',
    remedy: 'Vielleicht wurde er gelöscht. Nehmen Sie einen anderen aus der Seitenleiste.',
  },
  'workspace.place-invalid': {
    message: 'Ein Arbeitsbereich kann nicht vor sich selbst stehen.',
    remedy: 'Nennen Sie einen anderen, vor dem er stehen soll.',
  },
  'workspace.undo-over': {
    message: 'Der Arbeitsbereich lässt sich nicht mehr zurückholen: Die Zeit ist um, seine Threads werden entfernt.',
    remedy: 'Legen Sie einen neuen Arbeitsbereich an.',
  },
}
