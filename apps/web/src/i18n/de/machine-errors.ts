import type { ErrorWords } from '../words.ts'

/** Errors of the machine, of an installation, and of requests between its processes. */
export const machineErrors: ErrorWords = {
  'blob.key-invalid': {
    message: '{key} ist kein gültiger Blob-Schlüssel.',
    remedy: 'Das ist ein Fehler in threadbox. Melden Sie ihn mit der Kennung der Anfrage.',
  },
  'blob.offset-invalid': {
    message: 'An Position {offset} lässt sich an einen Blob von {sizeBytes} Bytes nichts anhängen.',
    remedy: 'Das ist ein Fehler in threadbox. Melden Sie ihn mit der Kennung der Anfrage.',
  },
  'bundle.file-exists': {
    message: '{file} gibt es schon, deshalb wurde kein Support-Paket geschrieben.',
    remedy: 'Nennen Sie nach --bundle eine andere Datei, oder entfernen Sie diese.',
  },
  'bundle.not-written': {
    message: 'Das Support-Paket {file} ließ sich nicht schreiben: {reason}',
    remedy: 'Nennen Sie eine Datei in einem Ordner mit freiem Speicher, in den Sie schreiben dürfen.',
  },
  'config.setting-invalid': {
    message: 'Die Einstellung {name} ist ungültig: {problem}',
    remedy: 'Korrigieren Sie {name} in der Umgebung oder in threadbox.env, und starten Sie neu.',
  },
  'disk.command-failed': {
    message: '`{command}` ist fehlgeschlagen: {reason}',
    remedy: 'Prüfen Sie mit `threadbox doctor`, ob dieser Host alles hat, was die Festplatten von Sandboxes brauchen.',
  },
  'disk.id-invalid': {
    message: '„{id}“ ist keine gültige Kennung einer Festplatte oder eines Images.',
    remedy: 'Nehmen Sie 1 bis 64 Zeichen: a–z, 0–9, „.“, „_“ und „-“, am Anfang ein Buchstabe oder eine Ziffer.',
  },
  'disk.image-in-use': {
    message: 'Das Image {imageId} lässt sich nicht löschen. Festplatten, die es nutzen: {diskCount}.',
    remedy: 'Löschen Sie zuerst diese Festplatten.',
  },
  'disk.image-not-found': {
    message: 'Das Image {imageId} gibt es im Speicherpool nicht.',
    remedy: 'Führen Sie `threadbox up` aus, um es zu bauen.',
  },
  'disk.limit-invalid': {
    message: '{limitBytes} Bytes sind kein gültiges Festplattenlimit.',
    remedy: 'Nehmen Sie eine ganze Zahl von Bytes, mindestens 1 MiB.',
  },
  'disk.machine-full': {
    message:
      'Der Speicherpool unter {path} braucht auf seiner Festplatte noch {neededBytes:size}, samt dem Platz, der frei bleiben muss; frei sind nur {availableBytes:size}.',
    remedy:
      'Schaffen Sie Platz auf dieser Festplatte, wählen Sie einen kleineren Pool (THREADBOX_POOL_SIZE), oder nehmen Sie ein anderes Datenverzeichnis.',
  },
  'disk.no-room-for-snapshot': {
    message: 'Der Schnappschuss ließ sich nicht erstellen, weil die Festplatte der Sandbox voll ist: {reason}',
    remedy: 'Löschen Sie Dateien oder ältere Schnappschüsse der Sandbox, oder erhöhen Sie ihr Festplattenlimit.',
  },
  'disk.not-found': {
    message: 'Die Festplatte {diskId} gibt es im Speicherpool nicht.',
    remedy:
      'Sie können die Sandbox durch eine neue ersetzen. Dateien auf der verlorenen Festplatte lassen sich nicht wiederherstellen.',
  },
  'disk.pool-busy': {
    message: 'Der Speicherpool unter {path} lässt sich nicht verwenden oder freigeben: {reason}',
    remedy: 'Beenden Sie, was ihn nutzt (`threadbox down` stoppt alle Sandboxes), und versuchen Sie es noch einmal.',
  },
  'disk.pool-full': {
    message:
      'Es lässt sich keine Festplatte anlegen: Im Speicherpool sind {availableBytes:size} frei, davon sind {reservedBytes:size} für Images und gesicherten Speicher reserviert.',
    remedy: 'Löschen Sie Threads, die Sie nicht brauchen, oder vergrößern Sie den Pool (THREADBOX_POOL_SIZE).',
  },
  'disk.pool-sparse': {
    message:
      'Die Datei {path} des Pools ist {sizeBytes:size} groß, aber nur {allocatedBytes:size} sind belegt. Wird die Festplatte darunter voll, verlieren Sandboxes schon gesicherte Daten.',
    remedy:
      'Sorgen Sie für genug Platz auf der Festplatte, führen Sie `fallocate -l {sizeBytes} {path}` aus (der Inhalt bleibt), und starten Sie neu.',
  },
  'disk.pool-unsupported': {
    message: 'Der Speicherpool unter {path} lässt sich nicht anlegen: {reason}',
    remedy: 'Nehmen Sie ein Datenverzeichnis auf ext4, xfs oder btrfs, auf einem Host mit btrfs und Loop-Geräten.',
  },
  'disk.snapshot-not-found': {
    message: 'Die Festplatte {diskId} hat keinen Schnappschuss {snapshotId}.',
    remedy: 'Nehmen Sie einen Schnappschuss, den die Festplatte hat.',
  },
  'disk.snapshots-unsupported': {
    message:
      'Dieser Speicherpool nutzt volle Quotas; ein Schnappschuss ließe eine Festplatte ihr Limit überschreiten. Schnappschüsse sind aus.',
    remedy:
      'Nehmen Sie Linux 6.7 oder neuer und ein Datenverzeichnis, das nicht auf Ihrem eigenen btrfs-Dateisystem liegt.',
  },
  'disk.too-many-files': {
    message:
      'Die Festplatte ist zu groß für einen Vergleich: Sie hat mehr als {mostFiles} Namen oder Namen von mehr als {mostMebibytes} MiB.',
    remedy: 'Löschen Sie Dateien oder Ordner, die die Sandbox nicht braucht, und versuchen Sie es noch einmal.',
  },
  'driver.boot-failed': {
    message: 'Die Sandbox ließ sich nicht starten: {reason}',
    remedy: 'Führen Sie `threadbox doctor` aus. Es startet eine Test-Sandbox und meldet, was fehlt.',
  },
  'driver.boot-not-running': { message: 'Der Start {bootId} läuft nicht.', remedy: 'Starten Sie die Sandbox wieder.' },
  'driver.boot-running': {
    message: 'Die Aufzeichnungen des Starts {bootId} lassen sich nicht entfernen: Er läuft noch.',
    remedy: 'Stoppen Sie ihn zuerst.',
  },
  'driver.boot-unknown': { message: 'Den Start {bootId} gibt es nicht.', remedy: 'Starten Sie die Sandbox wieder.' },
  'driver.boot-used': {
    message: 'Der Start {bootId} ist schon beendet. Eine Kennung lässt sich nur einmal verwenden.',
    remedy: 'Starten Sie die Sandbox mit einer neuen Kennung des Starts.',
  },
  'driver.cgroups-missing': {
    message: 'Sandboxes können den cgroup-Controller {controller} des Kernels nicht nutzen.',
    remedy:
      'Schalten Sie den Controller {controller} ein (Kernel-Parameter `cgroup_enable={controller}`; einen Container führen Sie mit eigenem cgroup-Baum aus), und starten Sie neu.',
  },
  'driver.memory-not-saved': {
    message: 'Der Speicher der Sandbox ließ sich nicht sichern: {reason}',
    remedy: 'Die Sandbox läuft weiter. Prüfen Sie den freien Platz; `threadbox doctor` meldet, was knapp ist.',
  },
  'driver.memory-unusable': {
    message: 'Der gesicherte Speicher der Sandbox lässt sich nicht verwenden ({problem}): {detail}',
    remedy: 'Starten Sie die Sandbox von ihrer Festplatte.',
  },
  'driver.runsc-failed': {
    message: '`runsc {verb}` ist fehlgeschlagen (Exit-Code {exitCode}): {reason}',
    remedy: 'Führen Sie `threadbox doctor` aus. Es startet eine Test-Sandbox und meldet, was fehlt.',
  },
  'driver.runsc-missing': {
    message: 'runsc von gVisor lässt sich nicht ausführen: {path} gibt es nicht.',
    remedy: 'Führen Sie `threadbox up` noch einmal aus, um runsc zu installieren.',
  },
  'egress.name-not-reached': {
    message: 'Es gibt keine Verbindung zu {name}: {reason}.',
    remedy: 'Prüfen Sie den Namen, und ob sein Server läuft.',
  },
  'egress.path-unknown': {
    message: 'Der Egress-Prozess kennt den Pfad {path} nicht.',
    remedy: 'Verwenden Sie dieselbe Version von Server, Host-Dienst und Egress-Prozess.',
  },
  'egress.response-unknown': {
    message: 'Die Antwort des Prozesses, der Sandboxes mit dem Internet verbindet ({status}), ist nicht verständlich.',
    remedy:
      'Vielleicht haben er und der Rest von threadbox verschiedene Versionen: Starten Sie threadbox neu. Passiert es wieder, sehen Sie in `threadbox logs` nach.',
  },
  'egress.unreachable': {
    message: 'Der Prozess, der Sandboxes mit dem Internet verbindet, antwortet nicht.',
    remedy: 'Vielleicht startet er noch. Passiert es wieder, führen Sie `threadbox doctor` auf dem Server aus.',
  },
  'guest.body-unreadable': {
    message: 'Der Inhalt der Anfrage lässt sich nicht lesen: {problem}',
    remedy: 'Senden Sie JSON von höchstens 1 MiB.',
  },
  'guest.git-request-gone': {
    message: 'Diese git-Anfrage ist beendet oder wird bereits bearbeitet.',
    remedy: 'Wenn git einen Fehler gemeldet hat, führen Sie seinen Befehl noch einmal aus.',
  },
  'guest.init-invalid': {
    message: 'Der Handshake ist ungültig: {problem}',
    remedy: 'Senden Sie jedes Feld des Handshakes.',
  },
  'guest.route-unknown': { message: 'Unter {path} gibt es nichts.', remedy: 'Prüfen Sie Methode und Pfad.' },
  'guest.template-refused': {
    message: 'Diese Sandbox taugt nicht als Vorlage: {problem}',
    remedy: 'Erstellen Sie die Vorlage aus einer unbenutzten Sandbox.',
  },
  'guest.token-wrong': {
    message: 'Zugriff verweigert: Das Zugriffstoken fehlt oder ist falsch.',
    remedy: 'Senden Sie das Zugriffstoken, das der Host für diesen Start gesetzt hat.',
  },
  'host.answer-unknown': {
    message: 'Der Host-Dienst hat eine Antwort gesendet, die der Server nicht versteht ({status}).',
    remedy:
      'Vielleicht haben Server und Host-Dienst verschiedene Versionen: Starten Sie threadbox neu. Passiert es weiterhin, sehen Sie in `threadbox logs` nach.',
  },
  'host.path-unknown': {
    message: 'Der Host-Dienst hat keine Route {path}.',
    remedy: 'Nehmen Sie dieselbe Version von Server und Host-Dienst.',
  },
  'host.request-invalid': { message: 'Der Auftrag ist ungültig: {problem}', remedy: 'Korrigieren Sie die Anfrage.' },
  'host.socket-taken': {
    message: 'Unter {path} läuft schon ein anderer Host-Dienst.',
    remedy: 'Beenden Sie ihn, oder nehmen Sie ein anderes Datenverzeichnis.',
  },
  'host.token-wrong': {
    message: 'Das Host-Token der Anfrage fehlt oder ist falsch.',
    remedy: 'Nehmen Sie für Server und Host-Dienst dieselbe Token-Datei.',
  },
  'image.archive-broken': {
    message: 'Das Image {archive} ließ sich nicht entpacken: {reason}',
    remedy: 'Löschen Sie die Datei, und führen Sie `threadbox up` noch einmal aus, um eine neue zu erstellen.',
  },
  'installation.missing': {
    message:
      'In {dataDirectory} wurde keine Installation von threadbox gefunden, oder Ihnen fehlt das Recht, sie zu lesen.',
    remedy:
      'Führen Sie `./threadbox up` aus, oder geben Sie den Ordner mit --data-dir an. Gehört er root, nehmen Sie sudo.',
  },
  'installation.sandboxes-not-stopped': {
    message:
      'Nicht alle Sandboxes ließen sich stoppen: Der Host-Dienst antwortete mit dem HTTP-Status {status}. Manche laufen vielleicht noch.',
    remedy: 'Suchen Sie die Ursache in `./threadbox logs host`, und führen Sie den Befehl noch einmal aus.',
  },
  'logs.unknown': {
    message: 'Ein Protokoll namens {name} gibt es nicht.',
    remedy: 'Nehmen Sie eines von: server, host, supervisor.',
  },
  'network.address-in-use': {
    message: 'Die Adresse {address} gehört der Sandbox {sandboxId}.',
    remedy: 'Nehmen Sie eine andere Adresse, oder löschen Sie zuerst diese Sandbox.',
  },
  'network.address-invalid': {
    message: '„{address}“ ist keine gültige Sandbox-Adresse in {pool}.',
    remedy: 'Nehmen Sie eine der Adressen, die das Netzwerk auflistet.',
  },
  'network.attached-elsewhere': {
    message: 'Die Sandbox {sandboxId} hat schon die Adresse {address}.',
    remedy: 'Trennen Sie sie zuerst.',
  },
  'network.command-failed': {
    message: '`{command}` ist fehlgeschlagen: {reason}',
    remedy: 'Führen Sie `threadbox doctor` aus, um zu prüfen, was Netzwerke auf diesem Host brauchen.',
  },
  'network.egress-invalid': {
    message: '„{name}“ ist in der Liste erlaubter Hostnamen nicht gültig.',
    remedy:
      'Geben Sie einen Hostnamen wie index.example.net ein, oder *.example.com für alle seine Subdomains, beides auch mit einem Port (example.com:8443).',
  },
  'network.id-invalid': {
    message: '„{id}“ ist keine gültige Kennung einer Installation oder Sandbox.',
    remedy:
      'Nehmen Sie 1 bis 64 Zeichen: a–z, 0–9 und „-“. Die Kennung einer Installation hat sechs Zeichen aus a–z und 0–9.',
  },
  'network.no-address-left': {
    message: 'Alle Adressen im Bereich {pool} sind vergeben.',
    remedy:
      'Löschen Sie Threads, die Sie nicht brauchen, oder setzen Sie einen größeren Bereich (THREADBOX_NETWORK_POOL).',
  },
  'network.not-attached': {
    message: 'Die Sandbox {sandboxId} hat kein Netzwerk.',
    remedy: 'Starten Sie die Sandbox, um sie anzuschließen.',
  },
  'network.pool-invalid': {
    message: 'Der Adressbereich {pool} lässt sich nicht für Sandboxes nutzen: {reason}',
    remedy:
      'Setzen Sie THREADBOX_NETWORK_POOL auf einen freien privaten IPv4-Bereich wie 198.18.0.0/18 oder 10.201.0.0/16.',
  },
  'request.cursor-invalid': {
    message: 'Der Cursor ist ungültig.',
    remedy: 'Beginnen Sie ohne Cursor, und geben Sie dann `next` unverändert zurück.',
  },
  'request.not-json': {
    message: 'Der Inhalt der Anfrage ist kein gültiges JSON.',
    remedy: 'Senden Sie JSON in UTF-8 mit dem Header `content-type: application/json`.',
  },
  'route.not-found': {
    message: 'Die API hat keine solche Route.',
    remedy: 'Die Routen stehen unter /api/v1/openapi.json.',
  },
  'secret.master-key-invalid': {
    message: '{path} ist kein gültiger Hauptschlüssel: Die Datei muss 64 hexadezimale Ziffern enthalten.',
    remedy:
      'Stellen Sie die Datei aus einer Sicherung wieder her. Ohne sie lassen sich gespeicherte Geheimnisse nicht entschlüsseln.',
  },
}
