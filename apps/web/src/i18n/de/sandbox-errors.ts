import type { ErrorWords } from '../words.ts'

/** Errors of sandboxes, their network access and the credentials that they use. */
export const sandboxErrors: ErrorWords = {
  'archive.disk-changed': {
    message: 'Auf die Festplatte von {sandboxId} wurde beim Archivieren geschrieben, deshalb bleibt sie hier.',
    remedy: 'Archivieren Sie sie erneut, wenn sie nicht mehr benutzt wird.',
  },
  'archive.files-lost': {
    message:
      'Die archivierten Dateien der Sandbox können nicht wiederhergestellt werden: {reason} Die Unterhaltung ist erhalten.',
    remedy:
      'Bitten Sie einen Administrator, die fehlenden Objekte wieder in den Archivspeicher zu legen, und versuchen Sie es dann erneut.',
  },
  'archive.no-space': {
    message:
      'Die Sandbox kann nicht aus dem Archiv wiederhergestellt werden: Sie braucht {neededBytes} Bytes auf der Festplatte des Hosts, und {freeBytes} sind frei.',
    remedy:
      'Löschen Sie Threads oder Snapshots, oder vergrößern Sie den Festplattenpool, und versuchen Sie es dann erneut. Die archivierten Dateien sind erhalten.',
  },
  'archive.not-asleep': {
    message: 'Nur eine schlafende Sandbox mit Dateien kann archiviert werden. Sie ist {state}.',
    remedy: 'Pausieren Sie sie, oder warten Sie, bis sie schläft.',
  },
  'archive.not-set-up': {
    message: 'Diese Installation hat keinen Archivspeicher.',
    remedy:
      'Setzen Sie THREADBOX_ARCHIVE_STORE auf einen Ordner auf einer anderen Festplatte oder einen Bucket, und starten Sie threadbox neu.',
  },
  'archive.part-lost': {
    message: 'Teil {part} der archivierten Dateien im Archivspeicher: {state}.',
    remedy:
      'Legen Sie die Objekte wieder in den Archivspeicher, etwa aus einer Kopie, und versuchen Sie es dann erneut.',
  },
  'archive.store-unreachable': {
    message: 'Der Archivspeicher kann nicht benutzt werden: {reason}',
    remedy:
      'Versuchen Sie es erneut, wenn der Speicher erreichbar ist. Nichts ist verloren: Die archivierten Dateien sind erhalten.',
  },
  'sandbox.archived': {
    message: 'Die Sandbox {sandboxId} ist archiviert: Ihre Dateien sind nicht auf diesem Host.',
    remedy: 'Stellen Sie sie zuerst wieder her.',
  },
  'environment.id-taken': {
    message: 'Die Sandbox {sandboxId} gibt es schon.',
    remedy: 'Nehmen Sie eine andere Kennung.',
  },
  'environment.in-use': {
    message: 'Die Festplatte von {sandboxId} ist in Gebrauch.',
    remedy: 'Stoppen Sie zuerst die Sandbox.',
  },
  'environment.not-cleaned': {
    message: 'Die Kopie ließ sich nicht durchsuchen: {problem}',
    remedy: 'Versuchen Sie es noch einmal. Passiert es wieder, sehen Sie im Protokoll des Host-Dienstes nach.',
  },
  'environment.not-packed': {
    message: 'Die Festplatte ließ sich nicht packen: {problem}',
    remedy: 'Versuchen Sie es noch einmal. Passiert es wieder, sehen Sie im Protokoll des Host-Dienstes nach.',
  },
  'environment.not-searched': {
    message: 'Der Speicher der Kopie ließ sich nicht durchsuchen: {problem}',
    remedy: 'Versuchen Sie es noch einmal. Passiert es wieder, sehen Sie im Protokoll des Host-Dienstes nach.',
  },
  'environment.other-image': {
    message: 'Die Festplatte braucht das Basis-Image {wanted}, diese Installation hat aber {present}.',
    remedy: 'Bringen Sie beide Installationen auf dieselbe Version, und exportieren Sie sie dann noch einmal.',
  },
  'fork.id-taken': {
    message: 'Die Sandbox {sandboxId} gibt es schon, und sie ist keine laufende Abzweigung.',
    remedy: 'Zweigen Sie mit einer neuen Kennung ab.',
  },
  'git-credential.push-refused': {
    message: 'Die Git-Zugangsdaten für {repository} auf {host} erlauben nur Lesen, daher wurde nichts gepusht.',
    remedy: 'Unter Einstellungen → Git lässt sich Pushen erlauben.',
  },
  'git-credential.repository-missing': {
    message: '{repository} existiert auf {host} nicht, oder der Token hat keinen Zugriff darauf.',
    remedy: 'Prüfen Sie den Namen des Repositorys und die Rechte des Tokens.',
  },
  'git-credential.repository-not-covered': {
    message: 'Keine Git-Zugangsdaten dieses Threads gelten für {repository} auf {host}.',
    remedy:
      'Schalten Sie welche im Sandbox-Bereich des Threads ein, oder nehmen Sie das Repository unter Einstellungen → Git hinzu.',
  },
  'git-credential.request-refused': {
    message: 'threadbox leitet nur git clone, fetch und push weiter: {problem}',
    remedy:
      'Nutzen Sie git über HTTPS. Git LFS und andere Dienste können die Zugangsdaten nicht nutzen; ohne sie erreichen Sie sie mit `GIT_CONFIG_COUNT=0 git …`.',
  },
  'git-credential.server-failed': {
    message: '{host} ließ sich nicht nutzen: {problem}',
    remedy: 'Prüfen Sie den Server in den Git-Zugangsdaten, oder versuchen Sie es später noch einmal.',
  },
  'git-credential.taken-back': {
    message:
      'Die Git-Zugangsdaten wurden entfernt, geändert oder ersetzt, während git sie für {repository} auf {host} nutzte.',
    remedy: 'Führen Sie den git-Befehl noch einmal aus. Er nutzt dann die aktuellen Zugangsdaten.',
  },
  'git-credential.token-refused': {
    message: '{host} hat den Token der Git-Zugangsdaten abgelehnt (HTTP-Status {status}).',
    remedy:
      'Vielleicht ist er abgelaufen, oder ihm fehlen Rechte. Tragen Sie unter Einstellungen → Git einen neuen ein.',
  },
  'git-credential.too-many-requests': {
    message: 'Es laufen schon mehr als {limit} git-Anfragen.',
    remedy: 'Versuchen Sie es noch einmal, wenn einige fertig sind.',
  },
  'host.busy': {
    message: 'Der Host hat Dringenderes zu tun.',
    remedy: 'Versuchen Sie es in ein paar Sekunden noch einmal.',
  },
  'host.image-missing': {
    message: 'Für neue Sandboxes gibt es kein Basis-Image.',
    remedy: 'Führen Sie `threadbox up` noch einmal aus. Es baut das Image und setzt THREADBOX_IMAGE.',
  },
  'host.no-memory': {
    message:
      'Die Sandbox braucht {neededBytes:size} Arbeitsspeicher, frei sind nur {availableBytes:size}; wache Sandboxes: {awakeSandboxes}.',
    remedy: 'Pausieren Sie eine Sandbox, die Sie nicht brauchen, oder warten Sie, bis eine pausiert.',
  },
  'host.shutting-down': { message: 'Der Host-Dienst fährt herunter.', remedy: 'Starten Sie threadbox wieder.' },
  'rescue.disk-full': {
    message: 'Die Festplatte ist voll. Es konnte nichts gesichert werden, daher wurde nichts gestoppt.',
    remedy: 'Schaffen Sie Platz auf der Festplatte der Sandbox, oder erhöhen Sie ihr Limit.',
  },
  'rescue.not-in-sandbox': {
    message:
      'Der Guest-Dienst läuft nicht in einer Sandbox. Um den Stand zu sichern, würde er alle anderen Prozesse stoppen; deshalb wurde nichts gesichert.',
    remedy: 'Starten Sie den Guest-Dienst in einer Sandbox.',
  },
  'rescue.process-unknown': {
    message: 'Es gibt keinen gesicherten Prozess mit der Kennung „{id}“.',
    remedy: 'Sehen Sie im Bericht nach, welche Prozesse sich wieder starten lassen.',
  },
  'rescue.request-invalid': {
    message: 'Die Anfrage zum Sichern ist ungültig: {problem}',
    remedy: 'Senden Sie ein Zeitlimit und Limits in Bytes, die größer als null sind.',
  },
  'rescue.running': {
    message: 'Die Sandbox sichert gerade ihren Zustand und kann nichts starten.',
    remedy: 'Versuchen Sie es gleich noch einmal. Sie wacht automatisch auf.',
  },
  'sandbox.boot-used': {
    message: 'Der Start {bootId} ist schon beendet.',
    remedy: 'Starten Sie die Sandbox mit einer neuen Kennung des Starts.',
  },
  'sandbox.deleting': {
    message: 'Die Sandbox {sandboxId} wird gerade gelöscht.',
    remedy: 'Nehmen Sie eine andere Sandbox.',
  },
  'sandbox.disk-not-readable': {
    message: 'Die Dateien dieser Sandbox lassen sich vom Host aus gerade nicht lesen.',
    remedy: 'Wecken Sie die Sandbox, und lesen Sie sie dann.',
  },
  'sandbox.ended': {
    message: 'Die Sandbox wurde beendet, während sie die Anfrage bearbeitete: {detail}',
    remedy: 'Starten Sie die Sandbox wieder. Ihre Dateien sind erhalten, ihre Prozesse nicht.',
  },
  'sandbox.guest-ended-early': {
    message: 'Die Sandbox wurde beendet, bevor sie bereit war: {detail}',
    remedy:
      'Versuchen Sie es noch einmal. Passiert es wieder, führen Sie `threadbox doctor` aus, das eine echte Sandbox testet.',
  },
  'sandbox.guest-silent': {
    message: 'Die Sandbox startete, aber ihr Guest war nach {waitedMs} ms nicht bereit: {reason}',
    remedy:
      'Versuchen Sie es noch einmal. Passiert es wieder, führen Sie `threadbox doctor` aus, das eine echte Sandbox testet.',
  },
  'sandbox.guest-unreachable': {
    message: 'Die Sandbox läuft, aber die Verbindung zu ihrem Guest ist fehlgeschlagen: {reason}',
    remedy: 'Versuchen Sie es noch einmal. Passiert es weiterhin, starten Sie die Sandbox neu.',
  },
  'sandbox.memory-unusable': {
    message: 'Der gesicherte Speicher der Sandbox lässt sich nicht verwenden ({reason}): {detail}',
    remedy:
      'Starten Sie die Sandbox von ihrer Festplatte. Ihre Dateien sind erhalten; was nur im Speicher war, etwa laufende Programme, ist verloren.',
  },
  'sandbox.no-room-for-memory': {
    message:
      'Um den Speicher der Sandbox zu sichern, sind {neededBytes:size} nötig; im Speicherpool sind nur {availableBytes:size} frei.',
    remedy: 'Löschen Sie Threads, die Sie nicht brauchen, oder vergrößern Sie den Pool (THREADBOX_POOL_SIZE).',
  },
  'sandbox.not-found': {
    message: 'Die Sandbox {sandboxId} existiert auf diesem Host nicht.',
    remedy: 'Legen Sie die Sandbox zuerst an.',
  },
  'sandbox.not-paused': {
    message: 'Die Sandbox ist nicht pausiert, daher gibt es keinen gesicherten Speicher zu verwerfen.',
    remedy: 'Pausieren Sie sie zuerst, oder stoppen Sie sie.',
  },
  'sandbox.not-running': { message: 'Die Sandbox läuft nicht.', remedy: 'Starten Sie sie zuerst.' },
  'sandbox.other-boot': {
    message: 'Der Auftrag gilt dem Start {bootId}, in der Sandbox läuft aber {currentBootId}.',
    remedy: 'Fragen Sie den aktuellen Zustand der Sandbox ab, und entscheiden Sie neu.',
  },
  'sandbox.pause-abandoned': {
    message: 'Die Pause wurde abgebrochen, weil die Sandbox gebraucht wurde.',
    remedy: 'Pausieren Sie sie später noch einmal.',
  },
  'sandbox.pause-failed': {
    message: 'Die Sandbox ließ sich nicht pausieren: {reason}',
    remedy: 'Prüfen Sie den freien Platz im Speicherpool; `threadbox doctor` meldet, was knapp ist.',
  },
  'sandbox.pause-unsupported': {
    message: 'Sandboxes mit {driver} lassen sich nicht pausieren.',
    remedy: 'Stoppen Sie die Sandbox. Ihre Dateien bleiben erhalten.',
  },
  'sandbox.paused': { message: 'Die Sandbox ist pausiert.', remedy: 'Wecken Sie sie zuerst.' },
  'sandbox.pausing': {
    message: 'Die Sandbox pausiert gerade.',
    remedy: 'Wecken Sie sie. Die Anfrage wartet, bis die Pause fertig ist.',
  },
  'sandbox.port-closed': {
    message: 'Port {port} in der Sandbox antwortet nicht: {reason}',
    remedy: 'Starten Sie den Dienst, oder sehen Sie in seiner Ausgabe nach, falls er laufen sollte.',
  },
  'sandbox.rest-not-ended': {
    message: 'Die Sandbox war eingefroren und läuft nach {seconds} Sekunden noch nicht weiter.',
    remedy: 'Versuchen Sie es noch einmal. Passiert es weiterhin, sehen Sie in `threadbox logs` nach.',
  },
  'sandbox.route-blocked': {
    message: 'Die Guest-Route {path} ist dem Host-Dienst vorbehalten.',
    remedy: 'Nutzen Sie die API des Host-Dienstes.',
  },
  'skill.package-invalid': {
    message: 'Die Daten passen nicht zum Skill-Paket {digest}.',
    remedy: 'Nehmen Sie dieselbe Version von Server und Host-Dienst, und senden Sie es noch einmal.',
  },
  'snapshot.id-taken': {
    message: 'Den Schnappschuss {snapshotId} gibt es schon, und er gehört zu einer anderen Sandbox.',
    remedy: 'Erstellen Sie den Schnappschuss mit einer neuen Kennung.',
  },
}
