import type { FindingWords } from '../words.ts'

const tryAgain =
  'Versuchen Sie es noch einmal. Passiert es wieder, suchen Sie in `threadbox logs` nach der Kennung der Anfrage.'
const checkNetwork =
  'Prüfen Sie, ob dieser Host Namen auflösen kann (/etc/resolv.conf). Erreicht er das Internet über einen Proxy, setzen Sie THREADBOX_SANDBOX_PROXY. Stammen die Zertifikate dort von der Zertifizierungsstelle eines Unternehmens, setzen Sie THREADBOX_EXTRA_CERTIFICATES. Siehe auch die Prüfung „Andere Firewalls“.'

/** What the checks of the machine find, and the fix. */
export const findings: FindingWords = {
  'host-reachable-fine': { detail: 'Antwortet.', cure: '' },
  'host-reachable-missing': { detail: 'Antwortet nicht.', cure: 'Führen Sie auf dem Server `threadbox doctor` aus.' },
  'kernel-fine': { detail: 'Linux {release}', cure: '' },
  'kernel-too-old': {
    detail: 'Linux {release} ist älter als 5.10.',
    cure: 'Aktualisieren Sie auf Debian 12, Ubuntu 24.04 oder neuer.',
  },
  'cgroups-fine-v1': {
    detail:
      'Version 1: Arbeitsspeicher, CPU und Prozesse lassen sich begrenzen. Eine Sandbox startet 5–30 ms später als mit Version 2.',
    cure: '',
  },
  'cgroups-fine': { detail: 'Version {version}: Arbeitsspeicher, CPU und Prozesse lassen sich begrenzen.', cure: '' },
  'cgroups-missing': {
    detail: 'Version {version}: Keine Grenze möglich für {missing}.',
    cure: 'Ergänzen Sie die Kernel-Befehlszeile um `cgroup_enable={first}`, oder geben Sie dem Container eigene cgroups.',
  },
  'disk-rate-fine': { detail: 'Jede Sandbox liest und schreibt höchstens {rate} MiB pro Sekunde.', cure: '' },
  'disk-rate-none': { detail: 'Es ist keine Grenze gesetzt.', cure: '' },
  'disk-rate-not-enforced': {
    detail:
      'Auf diesem Kernel nicht durchgesetzt (cgroup-Version {version}): Eine Sandbox kann den Datenträger für andere verlangsamen.',
    cure: 'Starten Sie den Host mit cgroup v2 und dem Controller `io`, zum Beispiel mit `systemd.unified_cgroup_hierarchy=1`.',
  },
  'btrfs-fine': { detail: '{version}', cure: '' },
  'btrfs-missing': { detail: 'btrfs ist im Kernel nicht verfügbar.', cure: 'Laden Sie das Modul: `modprobe btrfs`' },
  'nftables-fine': { detail: 'Die nftables-Tabelle {table} ist vorhanden.', cure: '' },
  'nftables-missing': {
    detail: 'Die nftables-Tabelle {table} fehlt: Etwas hat sie entfernt, nachdem der Host-Dienst sie angelegt hatte.',
    cure: 'Starten Sie den Host-Dienst neu, und sorgen Sie dafür, dass kein anderes Programm `nft flush ruleset` ausführt.',
  },
  'router-missing': {
    detail: 'Der Netzwerk-Namensraum der Sandboxes wurde entfernt. Sie erreichen deshalb nichts.',
    cure: 'Führen Sie `./threadbox down` und `./threadbox up` aus. Sandboxes, die wach waren, haben dann wieder ein Netzwerk.',
  },
  'nftables-outdated': {
    detail: 'Die nftables-Tabelle {table} sperrt diese Adressen im eigenen Netz des Hosts nicht: {addresses}.',
    cure: 'Starten Sie den Host-Dienst neu. Passiert es wieder, suchen Sie in `threadbox logs` nach „network“.',
  },
  'process-fine': { detail: 'Benutzer {user}, ohne Rechte, {memory} MiB', cure: '' },
  'process-missing': {
    detail: 'Der Prozess läuft nicht.',
    cure: 'Führen Sie `./threadbox down` und `./threadbox up` aus. Passiert es wieder, suchen Sie in `threadbox logs host` nach „{name}“.',
  },
  'process-silent': {
    detail: 'Prozess {pid} reagiert nicht.',
    cure: 'Führen Sie `./threadbox down` und `./threadbox up` aus. Passiert es wieder, suchen Sie in `threadbox logs host` nach „{name}“.',
  },
  'process-privileged': {
    detail: 'Prozess {pid} hat Rechte, die er nicht haben darf: {rights}.',
    cure: 'Führen Sie `./threadbox up` aus, danach `./threadbox down` und `./threadbox up`: Der erste Befehl repariert Benutzer und Einstellungen.',
  },
  'forwarding-fine': {
    detail: 'Keine andere Firewall verwirft standardmäßig den Datenverkehr der Sandboxes.',
    cure: '',
  },
  'forwarding-blocked-docker': {
    detail: '{chain} verwirft standardmäßig den Datenverkehr der Sandboxes.',
    cure: '{commands}',
  },
  'forwarding-blocked-ufw': {
    detail: '{chain} verwirft standardmäßig den Datenverkehr der Sandboxes.',
    cure: '{commands}',
  },
  'forwarding-blocked-other': {
    detail: '{chain} verwirft standardmäßig den Datenverkehr der Sandboxes.',
    cure: 'Lassen Sie in {chain} weitergeleitete Pakete von den Schnittstellen {interfaces} zu, und in Gegenrichtung die Pakete bestehender Verbindungen.',
  },
  'ids-fine': { detail: 'Keine Sandbox hat eine Benutzer-ID dieses Hosts.', cure: '' },
  'ids-not-shifted': {
    detail: 'Sandboxes haben die Benutzer-IDs dieses Hosts, ohne seine Rechte: {reason}',
    cure: 'Betreiben Sie den Host mit Linux 5.15 oder neuer und perl, und legen Sie THREADBOX_DATA auf btrfs, ext4 oder XFS.',
  },
  'namespaces-missing': {
    detail: 'Der Kernel legt keinen Benutzer-Namensraum an: {reason}',
    cure: 'Erlauben Sie sie: `sysctl user.max_user_namespaces=15000`. In einem Container muss auch dessen Laufzeitumgebung sie erlauben.',
  },
  'driver-fine': { detail: '{name} {version}, mit Hilfsprogrammen', cure: '' },
  'driver-without-helpers': {
    detail: '{name} {version}, ohne Hilfsprogramme: Auf manchen Systemen startet eine Sandbox 40 ms später.',
    cure: 'Installieren Sie sie mit `./threadbox up`.',
  },
  'compression-off': { detail: 'Ausgeschaltet.', cure: '' },
  'compression-fine': {
    detail: '{heldBytes:size} Arbeitsspeicher belegen komprimiert {storedBytes:size}.',
    cure: '',
  },
  'compression-fine-v1': {
    detail:
      '{heldBytes:size} Arbeitsspeicher belegen komprimiert {storedBytes:size}. Mit cgroup-Version 1 komprimiert der Kernel auch den Arbeitsspeicher laufender Sandboxes, wenn er knapp wird.',
    cure: '',
  },
  'compression-other-swap': {
    detail:
      'Der Arbeitsspeicher untätiger Sandboxes wird nicht komprimiert, weil der Host ihn auf einen Datenträger schreiben könnte: {detail} ist Swap.',
    cure: 'Schalten Sie diesen Swap aus (`swapoff`, und seine Zeile in /etc/fstab), oder setzen Sie THREADBOX_COMPRESS_FROZEN=off.',
  },
  'compression-full': {
    detail: 'Für weiteren komprimierten Arbeitsspeicher ist kein Platz mehr: {detail}',
    cure: 'Erweitern Sie den Arbeitsspeicher des Hosts, oder verringern Sie `idlePauseMinutes`, damit untätige Sandboxes früher pausieren.',
  },
  'compression-unavailable': {
    detail:
      'Der Arbeitsspeicher untätiger Sandboxes lässt sich nicht komprimieren, jede belegt deshalb mehr davon: {detail}',
    cure: 'Verwenden Sie einen Kernel mit zram und Swap (`modprobe zram`), oder setzen Sie THREADBOX_COMPRESS_FROZEN=off.',
  },
  'pool-fine': {
    detail: '{freeBytes:size} von {totalBytes:size} frei, davon {reservedBytes:size} reserviert.',
    cure: '',
  },
  'pool-full': {
    detail: '{freeBytes:size} von {totalBytes:size} frei, davon {reservedBytes:size} reserviert.',
    cure: 'Löschen Sie Threads, die Sie nicht mehr brauchen, oder erhöhen Sie THREADBOX_POOL_SIZE.',
  },
  'sandbox-fine': { detail: 'Eine Sandbox war nach {durationMs:duration} bereit.', cure: '' },
  'sandbox-ended-early': { detail: 'Die Sandbox wurde beendet, sobald sie bereit war.', cure: tryAgain },
  'network-index-fine': { detail: 'Der Python-Paketindex hat geantwortet.', cure: '' },
  'network-url-fine': { detail: '{url} hat geantwortet.', cure: '' },
  'network-index-unreachable': {
    detail: 'Aus einer Sandbox ist der Python-Paketindex nicht erreichbar: {output}',
    cure: checkNetwork,
  },
  'network-url-unreachable': { detail: 'Aus einer Sandbox ist {url} nicht erreichbar: {output}', cure: checkNetwork },
  'network-skipped': { detail: 'Es ließ sich keine Sandbox starten.', cure: '' },
  'check-failed': { detail: '{message}', cure: tryAgain },
}
