import type { ErrorWords } from '../words.ts'

/** Errors of backups and their stores, by code. */
export const backupErrors: ErrorWords = {
  'store.not-a-folder': {
    message: '{place} ist kein Ordner.',
    remedy:
      'Geben Sie einen vorhandenen Ordner an, etwa auf einer anderen Festplatte, oder die Adresse eines Buckets (s3+https://…).',
  },
  'store.read-only': {
    message: 'threadbox kann nicht in {place} schreiben: {reason}',
    remedy: 'Geben Sie dem Benutzer des Servers das Recht, dort zu schreiben, oder wählen Sie einen anderen Ort.',
  },
  'store.of-other-program': {
    message: '{place} ist nicht leer, und der Inhalt stammt nicht von threadbox.',
    remedy: 'Wählen Sie einen leeren Ordner oder ein leeres Präfix eines Buckets. Es wurde nichts geändert.',
  },
  'store.format-newer': {
    message: '{place} wurde von einer neueren Version von threadbox geschrieben.',
    remedy: 'Aktualisieren Sie threadbox, oder wählen Sie einen anderen Ort. Es wurde nichts geändert.',
  },
  'store.inside-installation': {
    message: '{place} liegt in der Installation und ginge mit ihr zusammen verloren.',
    remedy: 'Wählen Sie einen Ordner auf einer anderen Festplatte oder einen Bucket.',
  },
  'store.address-invalid': {
    message: '{place} ist keine Adresse eines Speichers.',
    remedy: 'Verwenden Sie einen vollständigen Pfad wie /mnt/backup oder s3+https://HOST/BUCKET/PREFIX?region=REGION.',
  },
  'store.unreachable': {
    message: '{place} antwortet nicht: {reason}',
    remedy: 'Prüfen Sie Adresse und Netzwerk, und führen Sie den Befehl erneut aus. Es ist nichts verloren.',
  },
  'store.refused': {
    message: '{place} hat eine Anfrage abgelehnt: {reason}',
    remedy:
      'Prüfen Sie den Zugangsschlüssel und seine Rechte: lesen, schreiben, auflisten und löschen unter diesem Präfix.',
  },
  'store.name-invalid': {
    message: '{name} ist kein gültiger Name eines Objekts.',
    remedy: 'Das ist ein Fehler in threadbox. Melden Sie ihn mit der Anfrage-ID.',
  },
  'backup.recovery-key-invalid': {
    message: 'Das ist kein Wiederherstellungsschlüssel, oder ein Teil davon fehlt oder ist falsch getippt.',
    remedy:
      'Verwenden Sie den ganzen Text, der beim Einrichten der Sicherungen angezeigt wurde. Er beginnt mit threadbox-recovery-1.',
  },
  'backup.recovery-key-other': {
    message: 'Die Sicherungen in {place} wurden mit einem anderen Wiederherstellungsschlüssel geschrieben.',
    remedy:
      'Verwenden Sie den Wiederherstellungsschlüssel der Installation, die sie geschrieben hat. Ohne ihn sind sie nicht lesbar.',
  },
  'backup.settings-damaged': {
    message: 'Wohin Sicherungen gehen, ist nicht lesbar, deshalb entstehen keine: {file} ({reason})',
    remedy:
      'Stellen Sie diese Datei aus einer Kopie wieder her. Gibt es keine, entfernen Sie sie, und führen Sie ./threadbox backup init mit einem neuen Speicher aus.',
  },
  'backup.status-damaged': {
    message: 'Die Aufzeichnung früherer Sicherungen ist nicht lesbar: {reason}',
    remedy:
      'Starten Sie eine Sicherung: Sie beginnt eine neue Aufzeichnung. Die Sicherungen im Speicher sind unverändert.',
  },
  'backup.already-running': {
    message: 'Eine Sicherung läuft bereits.',
    remedy: 'Warten Sie, bis sie beendet ist. Die Seite „Maschine“ zeigt ihren Fortschritt.',
  },
  'backup.program-ended': {
    message: 'Das Sicherungsprogramm endete, bevor es fertig war: {reason}',
    remedy:
      'Prüfen Sie das Protokoll des Servers, und starten Sie dann eine Sicherung. Frühere Sicherungen sind unverändert.',
  },
  'backup.failed': {
    message: 'Die Sicherung ist fehlgeschlagen: {reason}',
    remedy:
      'Führen Sie ./threadbox doctor aus, und starten Sie dann eine Sicherung. Frühere Sicherungen sind unverändert.',
  },
  'backup.found-damaged': {
    message: 'Von {total} Sicherungen sind {damaged} beschädigt.',
    remedy:
      'Starten Sie eine Sicherung: Sie speichert, was fehlt. ./threadbox backup verify nennt, was beschädigt ist.',
  },
  'backup.not-set-up': {
    message: 'Sicherungen sind nicht eingerichtet.',
    remedy: 'Führen Sie ./threadbox backup init STORE aus.',
  },
  'backup.already-set-up': {
    message: 'Sicherungen gehen bereits nach {place}.',
    remedy:
      'Um mit einem anderen Schlüssel neu zu beginnen, entfernen Sie zuerst die Datei backup.json im Ordner des Servers.',
  },
  'backup.not-confirmed': {
    message:
      'Der Wiederherstellungsschlüssel ist nicht bestätigt. Deshalb wird keine Sicherung geschrieben, die vielleicht nie lesbar wäre.',
    remedy:
      'Führen Sie ./threadbox backup confirm mit den letzten 8 Zeichen des Schlüssels aus, den backup init angezeigt hat.',
  },
  'backup.running': {
    message: '{holder} verwendet diesen Speicher, längstens bis {until}.',
    remedy: 'Warten Sie, bis das beendet ist. Ein abgebrochener Vorgang wird zu dieser Zeit übernommen.',
  },
  'backup.lease-lost': {
    message: 'Ein anderer Vorgang hat den Speicher übernommen. Deshalb endete dieser ohne Sicherung.',
    remedy: 'Frühere Sicherungen sind unverändert. Führen Sie ihn nach dem anderen erneut aus.',
  },
  'backup.not-found': {
    message: 'In {place} gibt es keine Sicherung {name}.',
    remedy: 'Zeigen Sie die Sicherungen mit ./threadbox backup list an.',
  },
  'backup.damaged': {
    message: 'Die Sicherung {name} ist beschädigt: {reason}',
    remedy: 'Stellen Sie eine andere Sicherung wieder her; ./threadbox backup verify zeigt, welche unversehrt sind.',
  },
  'backup.database-tool-failed': {
    message: '{tool} ist fehlgeschlagen: {reason}',
    remedy:
      'Installieren Sie den Postgres-Client in der Version Ihres Servers oder einer späteren, und führen Sie den Befehl erneut aus.',
  },
  'backup.restore-over-data': {
    message: 'Diese Installation ist in Gebrauch: Sie hat {people} Konten.',
    remedy: 'Stellen Sie in einer neuen Installation wieder her, in der noch niemand ein Konto hat.',
  },
  'backup.of-newer-release': {
    message:
      'Diese Sicherung wurde von einer neueren Version ({version}) geschrieben, mit Tabellen, die diese nicht kennt: {migrations}',
    remedy: 'Stellen Sie sie mit der Version wieder her, die sie geschrieben hat, oder mit einer späteren.',
  },
  'backup.other-database': {
    message: 'Die Sicherung hat eine Datenbank der Art {kind}, und diese Installation verwendet {wanted}.',
    remedy:
      'Setzen Sie DATABASE_URL in threadbox.env, wenn die Sicherung von Postgres ist, oder entfernen Sie es, und führen Sie den Befehl erneut aus.',
  },
  'backup.database-lost': {
    message: 'Die Datenbank kann aus dieser Sicherung nicht wiederhergestellt werden: {reason}',
    remedy: 'Stellen Sie eine frühere Sicherung wieder her. Es wurde nichts geändert.',
  },
}
