import type { ErrorWords } from '../words.ts'

/** Errors of commands, cells, files, pages and services: those that the cards of calls show. */
export const callErrors: ErrorWords = {
  'call.input-invalid': {
    message: 'Der Werkzeugaufruf ist ungültig: {problem}',
    remedy: 'Rufen Sie ein verfügbares Werkzeug auf, mit einer Eingabe, die zu seinem Eingabeschema passt.',
  },
  'call.interrupted': {
    message: 'threadbox oder die Sandbox wurde beendet, während dies lief. Wie weit es kam, ist unbekannt.',
    remedy: 'Prüfen Sie, was es geändert hat, bevor Sie es noch einmal ausführen.',
  },
  'call.stopped': {
    message: 'Dieser Aufruf wurde gestoppt. Er kann zum Teil ausgeführt worden sein.',
    remedy: 'Wiederholen Sie ihn nur, wenn das ausdrücklich gewünscht ist.',
  },
  'command.out-of-memory': {
    message: 'Der Aufruf überschritt das Speicherlimit der Sandbox und wurde beendet. {detail}',
    remedy:
      'Verarbeiten Sie weniger Daten auf einmal, oder erhöhen Sie das Speicherlimit der Sandbox und führen Sie ihn noch einmal aus.',
  },
  'command.out-of-processes': {
    message: 'Der Aufruf überschritt das Prozesslimit der Sandbox und wurde beendet. {detail}',
    remedy:
      'Starten Sie weniger Prozesse auf einmal, oder erhöhen Sie das Prozesslimit der Sandbox und führen Sie ihn noch einmal aus.',
  },
  'command.signalled': {
    message: 'Der Befehl wurde durch Signal {signal} beendet, das threadbox nicht gesendet hat.',
    remedy:
      'Finden Sie heraus, woher es kam: von einem anderen Befehl, vom Programm selbst oder von einem Limit der Sandbox.',
  },
  'command.timed-out': {
    message: 'Der Aufruf überschritt sein Zeitlimit von {seconds} s und wurde gestoppt.',
    remedy: 'Setzen Sie ein längeres Zeitlimit, oder führen Sie ihn im Hintergrund aus und sehen Sie später nach.',
  },
  'context.language-unsupported': {
    message: 'Diese Sandbox hat keinen Kernel für „{language}“.',
    remedy: 'Nehmen Sie python, oder führen Sie das Programm als Befehl aus.',
  },
  'context.request-invalid': { message: 'Die Anfrage ist ungültig: {problem}', remedy: 'Korrigieren Sie die Anfrage.' },
  'context.unknown': {
    message: 'Den Code-Kontext „{id}“ gibt es nicht.',
    remedy: 'Legen Sie einen an, oder lassen Sie den Kontext weg, um den Kernel des Threads zu nutzen.',
  },
  'edit.changes-nothing': {
    message: 'old_text und new_text sind gleich.',
    remedy: 'Lassen Sie die Datei, wie sie ist, oder geben Sie einen anderen new_text an.',
  },
  'edit.text-not-found': {
    message: 'old_text steht nicht in {path}. {hint}',
    remedy: 'Lesen Sie diesen Teil der Datei und kopieren Sie den Text genau, samt Leerzeichen und Zeilenenden.',
  },
  'edit.text-not-unique': {
    message: 'old_text steht {count}-mal in {path}, in den Zeilen {lines}.',
    remedy: 'Nehmen Sie mehr umgebende Zeilen hinzu, damit er eindeutig ist, oder setzen Sie replace_all.',
  },
  'file.disk-full': {
    message: 'In der Sandbox ist für {path} nicht genug Platz auf der Festplatte.',
    remedy: 'Löschen Sie Dateien in der Sandbox, oder erhöhen Sie ihr Festplattenlimit.',
  },
  'file.forbidden': {
    message: 'Zugriff verweigert: {path}',
    remedy: 'Nehmen Sie einen anderen Pfad, ändern Sie seine Rechte, oder führen Sie es als root aus.',
  },
  'file.is-binary': {
    message: '{path} ({sizeBytes:size}) ist kein UTF-8-Text.',
    remedy: 'Nehmen Sie view_image für Bilder, run_python für Datenformate, oder `file` und `xxd` mit run_command.',
  },
  'file.missing': {
    message: '{path} gibt es nicht.',
    remedy: 'Prüfen Sie den Pfad, oder listen Sie den übergeordneten Ordner auf.',
  },
  'file.path-invalid': {
    message: '{path} lässt sich nicht verwenden: {problem}.',
    remedy: 'Nehmen Sie den Pfad einer gewöhnlichen Datei oder eines Ordners.',
  },
  'file.path-is-directory': {
    message: '{path} lässt sich nicht verwenden: Es ist ein Ordner.',
    remedy: 'Nehmen Sie den Pfad einer gewöhnlichen Datei.',
  },
  'file.range-invalid': {
    message: 'Der Bereich liegt außerhalb von {path}.',
    remedy: 'Fordern Sie einen Bereich innerhalb der Datei an.',
  },
  'file.server-down': {
    message: 'Der Dateiserver des Benutzers „{user}“ wurde beendet.',
    remedy: 'Versuchen Sie es noch einmal. Er startet automatisch neu.',
  },
  'file.signature-expired': { message: 'Die Signatur ist abgelaufen.', remedy: 'Fordern Sie eine neue Adresse an.' },
  'file.too-large': {
    message: '{path} ist größer als das Limit dieses Werkzeugs von {limitBytes:size}.',
    remedy: 'Nehmen Sie stattdessen einen Befehl oder Python.',
  },
  'file.unavailable': {
    message: '{path} lässt sich nicht verwenden: {problem}',
    remedy: 'Prüfen Sie Art und Rechte mit `ls -l`. Nehmen Sie bei Bedarf run_command mit sudo.',
  },
  'file.upload-invalid': {
    message: 'Der Upload lässt sich nicht lesen: {problem}.',
    remedy: 'Senden Sie die Bytes als application/octet-stream oder als multipart/form-data im Feld „file“.',
  },
  'file.watcher-unknown': { message: 'Den Beobachter {id} gibt es nicht.', remedy: 'Legen Sie einen neuen an.' },
  'guest.response-too-large': {
    message: 'Die Sandbox hat mit mehr als {limitMebibytes} MiB auf einmal geantwortet.',
    remedy:
      'Fordern Sie weniger auf einmal an, oder schreiben Sie es in eine Datei und lesen Sie diese. Die Sandbox läuft weiter.',
  },
  'image.not-shown': {
    message: '{path} lässt sich nicht ansehen: {problem}',
    remedy:
      'Wandeln Sie das Bild in eine PNG- oder JPEG-Datei von höchstens 4 MiB um (zum Beispiel mit Pillow), und sehen Sie diese Datei an.',
  },
  'kernel.died': {
    message: 'Der Python-Kernel wurde beendet, während die Zelle lief: {how}. Seine Variablen sind verloren.',
    remedy: 'Führen Sie die nötigen Zellen noch einmal aus. Ein neuer Kernel startet automatisch.',
  },
  'kernel.not-answering': {
    message: 'Der Python-Kernel reagiert nicht: {problem}',
    remedy: 'Warten Sie, bis seine Zelle fertig ist, oder stoppen Sie sie.',
  },
  'kernel.not-started': {
    message: 'Der Python-Kernel ließ sich nicht starten: {problem}',
    remedy: 'Prüfen Sie, ob `python3 -m ipykernel --version` in der Sandbox funktioniert.',
  },
  'launch.directory-missing': {
    message: 'Das Arbeitsverzeichnis {path} gibt es nicht, oder es ist kein Ordner.',
    remedy: 'Legen Sie es zuerst an, oder lassen Sie das Arbeitsverzeichnis weg.',
  },
  'launch.program-not-started': {
    message: '{program} ließ sich nicht starten: {problem}',
    remedy:
      'Prüfen Sie, ob es das Programm gibt, ob dieser Benutzer es ausführen darf und ob das Prozesslimit erreicht ist.',
  },
  'output.not-kept': {
    message: 'Die Bytes {from} bis {to} (ausschließlich) dieser Ausgabe wurden nicht behalten.',
    remedy: 'Lesen Sie vor Byte {from} oder ab Byte {to}.',
  },
  'page.browser-failed': {
    message: 'Der Browser in der Sandbox ist fehlgeschlagen: {detail}',
    remedy:
      'Versuchen Sie es noch einmal. Passiert es weiterhin, prüfen Sie Speicher, Prozesse und Festplatte der Sandbox.',
  },
  'page.browser-missing': {
    message:
      'Diese Sandbox hat keinen Browser: Sie entstand, bevor das Basis-Image einen enthielt, oder er wurde entfernt.',
    remedy: 'Installieren Sie einen: `sudo apt-get update && sudo apt-get install -y chromium-headless-shell`.',
  },
  'page.crashed': {
    message: '{url} hat den Browser zum Absturz gebracht. {detail}',
    remedy: 'Verringern Sie den Speicherbedarf der Seite.',
  },
  'page.flooded': {
    message: '{url} hat mehr in die Konsole geschrieben, als gelesen werden kann. {detail}',
    remedy: 'Verringern Sie die Konsolenausgabe der Seite.',
  },
  'page.look-unsupported': {
    message: 'In dieser Sandbox läuft eine ältere Version, die keine Seiten zeigen kann.',
    remedy: 'Starten Sie die Sandbox neu. Ihre Dateien bleiben erhalten.',
  },
  'page.no-answer': {
    message: '{url} hat die Anfrage angenommen, aber nicht geantwortet. {detail}',
    remedy: 'Sehen Sie im Protokoll des Dienstes nach. Ist die Seite nur langsam, setzen Sie timeout_seconds.',
  },
  'page.not-local': {
    message: '{url} ist keine Seite dieser Sandbox.',
    remedy:
      'Nehmen Sie den Namen eines Dienstes oder http://localhost:<Port>/. Rufen Sie andere Seiten mit einem Befehl oder mit Python ab.',
  },
  'page.not-responding': {
    message: 'Die Skripte auf {url} kamen nie zur Ruhe, daher entstand kein Bild der Seite. {detail}',
    remedy: 'Suchen Sie in ihren Skripten nach einer Endlosschleife.',
  },
  'page.too-much-memory': {
    message: '{url} hat zu viel Speicher verbraucht und wurde geschlossen. {detail}',
    remedy: 'Verringern Sie den Speicherbedarf der Seite, oder erhöhen Sie das Speicherlimit der Sandbox.',
  },
  'page.unreachable': {
    message: '{url} ließ sich nicht öffnen: {detail}',
    remedy: 'Sehen Sie mit list_services nach, was auf welchem Port läuft, und mit service_logs, warum es nicht läuft.',
  },
  'process.input-closed': {
    message: 'Die Eingabe des Prozesses {pid} ist geschlossen.',
    remedy: 'Starten Sie den Prozess mit Eingabe, und schreiben Sie, bevor Sie sie schließen.',
  },
  'process.not-a-terminal': {
    message: 'Der Prozess {pid} hat kein Terminal.',
    remedy: 'Starten Sie den Prozess mit einem Terminal.',
  },
  'process.unknown': {
    message: 'Es gibt keinen Prozess mit {selector}.',
    remedy: 'Listen Sie die Prozesse auf, um zu sehen, was läuft.',
  },
  'python.kernel-died': {
    message:
      'Der Python-Kernel wurde beendet, während dies lief. Seine Variablen sind verloren, Dateien bleiben erhalten.',
    remedy: 'Führen Sie die nötigen Zellen noch einmal aus. Ein neuer Kernel startet automatisch.',
  },
  'run.invalid': {
    message: 'Die Ausführung lässt sich nicht starten: {problem}',
    remedy: 'Korrigieren Sie die Anfrage, und starten Sie sie mit einem neuen Schlüssel.',
  },
  'run.unknown': {
    message: 'Die Ausführung „{key}“ gibt es nicht: Sie wurde verworfen oder gehört zu einem anderen Start.',
    remedy: 'Starten Sie sie mit einem neuen Schlüssel, wenn sie ohne Risiko noch einmal laufen kann.',
  },
  'search.failed': {
    message: 'Die Suche ist fehlgeschlagen: {problem}',
    remedy: 'Prüfen Sie das Muster (Syntax regulärer Ausdrücke von Rust) und den Pfad.',
  },
  'service.invalid': {
    message: 'Der Dienst lässt sich nicht starten: {problem}',
    remedy: 'Korrigieren Sie die Anfrage.',
  },
  'service.log-missing': {
    message: 'Der Dienst „{name}“ hat in dieser Sandbox keine Ausgabe.',
    remedy: 'Starten Sie ihn zuerst.',
  },
  'session.name-invalid': {
    message: '„{name}“ ist kein gültiger Name einer Shell-Sitzung.',
    remedy: 'Nehmen Sie bis zu 64 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche.',
  },
  'terminal.ended': {
    message: 'Die Shell im Terminal {id} wurde beendet.',
    remedy: 'Öffnen Sie ein anderes Terminal.',
  },
  'terminal.too-many': {
    message: 'Eine Sandbox kann bis zu {max} Terminals haben.',
    remedy: 'Schließen Sie zuerst ein Terminal.',
  },
  'terminal.unknown': { message: 'Das Terminal {id} gibt es nicht.', remedy: 'Listen Sie die Terminals auf.' },
  'user.unknown': {
    message: 'Die Sandbox hat keinen Benutzer „{name}“.',
    remedy: 'Nehmen Sie „user“ oder „root“, oder legen Sie den Benutzer zuerst in der Sandbox an.',
  },
}
