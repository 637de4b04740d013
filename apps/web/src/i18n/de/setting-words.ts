import type { SettingWords } from '../words.ts'

/** What the settings of the server are called, by name. */
export const settingWords: SettingWords = {
  sandboxMemoryBytes: { title: 'Arbeitsspeicher', doc: 'Arbeitsspeicher jeder Sandbox.' },
  sandboxCpus: { title: 'Prozessoren', doc: 'Prozessoren, die jede Sandbox nutzen darf; auch Bruchteile.' },
  sandboxProcesses: { title: 'Prozesse', doc: 'Prozesse und Threads, die jede Sandbox haben darf.' },
  sandboxDiskBytes: { title: 'Platte', doc: 'Platte jeder Sandbox samt ihren Abbildern.' },
  idlePauseMinutes: { title: 'Pause nach (Minuten)', doc: 'Minuten Untätigkeit, nach denen eine Sandbox pausiert.' },
  hotHours: {
    title: 'Gesicherten Arbeitsspeicher mindestens behalten (Stunden)',
    doc: 'Stunden nach einer Pause, in denen der gesicherte Arbeitsspeicher der Sandbox (laufende Programme, Variablen) auf jeden Fall behalten wird.',
  },
  hotKeep: {
    title: 'Danach',
    doc: 'Was nach dieser Zeit geschieht. `guaranteed`: Der Arbeitsspeicher bleibt, solange auf der Platte Platz ist. `strict`: Er wird verworfen.',
  },
  maxAwakeHours: {
    title: 'Längste Wachzeit (Stunden)',
    doc: 'Stunden, nach denen eine Sandbox auch bei der Arbeit pausiert; eine Stunde vorher wird es angekündigt.',
  },
  archiveDays: {
    title: 'Archivieren nach (Tagen)',
    doc: 'Tage ohne Nutzung, nach denen die Dateien einer Sandbox ins Archiv (`THREADBOX_ARCHIVE_STORE`) kommen, von wo die nächste Nutzung sie zurückholt. 0: nie.',
  },
  retentionDays: {
    title: 'Dateien behalten (Tage)',
    doc: 'Tage ohne Nutzung, nach denen die Dateien einer Sandbox gelöscht werden; eine Woche vorher angekündigt. 0: nie.',
  },
  maxServices: {
    title: 'Dienste je Thread',
    doc: 'Dienste, die in einem Thread zugleich laufen dürfen. 1: Ein neuer ersetzt den alten.',
  },
  rescueSeconds: {
    title: 'Zeitgrenze (Sekunden)',
    doc: 'Sekunden, die das Sichern von Python-Variablen höchstens dauert, bevor der Arbeitsspeicher verworfen wird.',
  },
  rescueMebibytes: {
    title: 'Grenze für alle Variablen (MiB)',
    doc: 'MiB, die alle gesicherten Python-Variablen einer Sandbox zusammen höchstens einnehmen.',
  },
  rescueVariableMebibytes: {
    title: 'Grenze je Variable (MiB)',
    doc: 'MiB, die eine gesicherte Python-Variable höchstens einnimmt.',
  },
  snapshotsPerThread: {
    title: 'Schnappschüsse je Thread',
    doc: 'Schnappschüsse seiner Platte, die von einem Thread behalten werden, einer je Antwort, die sie verändert hat. 0: keine.',
  },
  snapshotMebibytesPerThread: {
    title: 'Schnappschüsse je Thread (MiB)',
    doc: 'MiB, die zwischen den Schnappschüssen eines Threads geschrieben wurden, vor dem Packen. Darüber werden die ältesten gelöscht.',
  },
  snapshotMebibytes: {
    title: 'Schnappschüsse in allen Threads (MiB)',
    doc: 'MiB, die zwischen den Schnappschüssen aller Threads geschrieben wurden, vor dem Packen. Darüber werden die ältesten gelöscht.',
  },
  memorySnapshotsPerThread: {
    title: 'Schnappschüsse mit Speicher je Thread',
    doc: 'Die neuesten Schnappschüsse eines Threads, die auch den Arbeitsspeicher behalten, damit Zurückspulen laufende Prozesse wiederherstellt. 0: keine.',
  },
  memorySnapshotMebibytes: {
    title: 'Speicher der Schnappschüsse in allen Threads (MiB)',
    doc: 'MiB für den Arbeitsspeicher von Schnappschüssen in allen Threads. Darüber wird der älteste gelöscht. Einer nimmt höchstens ein Viertel.',
  },
  memorySnapshotMebibytesPerThreadHour: {
    title: 'Gesicherter Speicher von Schnappschüssen je Thread und Stunde (MiB)',
    doc: 'MiB Arbeitsspeicher, die in einer Stunde mit den Schnappschüssen eines Threads gesichert werden. Darüber wartet das Sichern, bis die Stunde wieder Platz hat.',
  },
  memorySnapshotMebibytesPerHour: {
    title: 'Gesicherter Speicher von Schnappschüssen je Stunde in allen Threads (MiB)',
    doc: 'MiB Arbeitsspeicher, die in einer Stunde mit den Schnappschüssen aller Threads gesichert werden. Darüber wartet das Sichern, bis die Stunde wieder Platz hat.',
  },
  memorySnapshotQuietSeconds: {
    title: 'Ruhe, bevor der Speicher eines Schnappschusses gesichert wird (Sekunden)',
    doc: 'Sekunden nach einer Antwort, bevor mit dem Schnappschuss der Arbeitsspeicher gesichert wird. Wird früher eine Nachricht gesendet, entfällt das.',
  },
  modelUsdPerMonth: {
    title: 'Grenze für Modelle im Monat (USD)',
    doc: 'USD für Anfragen aller Personen an Modelle in einem Monat, soweit der Preis bekannt ist. 0: keine Grenze.',
  },
  unpricedModels: {
    title: 'Modelle ohne Preis',
    doc: 'Was mit Anfragen an Modelle ohne Preis geschieht, wenn eine Grenze gilt. `allowed`: sie werden nicht gezählt. `refused`: sie werden abgelehnt.',
  },
  modelFallbacks: {
    title: 'Modelle, die übernehmen',
    doc: 'Welche Modelle übernehmen dürfen, wenn eines nicht antworten kann. `any`: alle, die dafür eingestellt sind. `same-provider`: nur die desselben Anbieters, damit kein anderer das Gespräch bekommt.',
  },
  adminsMayRead: {
    title: 'Admins lesen mit',
    doc: 'Ob Eigentümer und Admins Threads lesen können, in denen sie nicht sind. `never`: nein. `with-reason`: nur lesen, nachdem sie einen Grund eingegeben haben, den die Mitglieder des Threads und das Protokoll zeigen. Die Anmeldeseite sagt, wenn es an ist.',
  },
  timeZone: {
    title: 'Zeitzone der Berichte und Sicherungen',
    doc: 'Zeitzone der Tage und Monate in Berichten über den Verbrauch und der täglichen Sicherungen, zum Beispiel `Europe/Berlin`.',
  },
  backupDaily: {
    title: 'Tägliche Sicherung um',
    doc: 'Wann jeden Tag eine Sicherung entsteht, zum Beispiel `03:15`, in der Zeitzone der Berichte. Leer: nur auf Anforderung. Wirkt erst, wenn Sicherungen auf der Maschine eingerichtet sind.',
  },
  adminPasskeys: {
    title: 'Passkeys von Eigentümer und Admins',
    doc: 'Ob Eigentümer und Admins einen Passkey brauchen. `required`: wer keinen hat, kann nicht, was nur sie dürfen, bis einer hinzugefügt ist.',
  },
  runsAtOnce: {
    title: 'Gleichzeitige Läufe',
    doc: 'Läufe von Agenten, die für eine Person zugleich arbeiten. Weitere warten.',
  },
  runsQueued: {
    title: 'Wartende Läufe',
    doc: 'Läufe von Agenten, die für eine Person warten dürfen. Einer mehr wird abgelehnt; ein geplanter wird als ausgelassen vermerkt.',
  },
  runHistoryDays: {
    title: 'Beendete Läufe auflisten (Tage)',
    doc: 'Tage, die beendete Läufe in der Liste stehen. Ihre Threads bleiben, außer der Agent behält nur die seiner neuesten Läufe.',
  },
  runHistoryCount: {
    title: 'Aufgelistete Läufe je Agent',
    doc: 'Beendete Läufe, die von einem Agenten höchstens in der Liste stehen; darüber fallen die ältesten aus der Liste.',
  },
  THREADBOX_INSTALLATION: {
    title: 'Kennung der Installation',
    doc: 'Sechs Zeichen, einmal von `up` angelegt. Teil jedes Namens, den es auf dem Host anlegt.',
  },
  THREADBOX_DATA: { title: 'Datenverzeichnis', doc: 'Wo alles liegt: Programm, Pool, Datenbank, Dateien, Schlüssel.' },
  THREADBOX_HOST_SOCKET: { title: 'Socket des Host-Dienstes', doc: 'Nur für die Gruppe des Servers lesbar.' },
  THREADBOX_GATEWAY_SOCKET: {
    title: 'Socket des Gateways',
    doc: 'Darüber erreicht der Server, was in Sandboxes läuft. Nur für die Gruppe des Servers lesbar.',
  },
  THREADBOX_LOG_LEVEL: { title: 'Protokoll', doc: 'Wie viel protokolliert wird.' },
  THREADBOX_LISTEN_HOST: {
    title: 'Adresse des Servers',
    doc: 'Worauf der Server hört. Alles außer einer Loopback-Adresse macht ihn von anderen Geräten erreichbar.',
  },
  THREADBOX_PORT: { title: 'Port', doc: 'Port, auf dem der Server hört; 0 nimmt einen freien.' },
  THREADBOX_BASE_DOMAIN: {
    title: 'Domain',
    doc: 'Domain, unter der die App (`app.<Domain>`) liegt. Standard: `<Installation>.localhost`.',
  },
  THREADBOX_PUBLIC_URL: {
    title: 'Öffentliche Adresse',
    doc: 'Adresse, unter der die App durch einen Proxy mit TLS erreicht wird.',
  },
  THREADBOX_ALLOWED_HOSTS: {
    title: 'Weitere Namen',
    doc: 'Weitere Namen oder Adressen, durch Kommas getrennt, unter denen die App geöffnet werden darf.',
  },
  THREADBOX_SERVER_DATA: {
    title: 'Verzeichnis des Servers',
    doc: 'Wo der Server Datenbank, Dateien und Schlüssel hält. Standard: `<Datenverzeichnis>/server`.',
  },
  THREADBOX_WEB_DIRECTORY: { title: 'Web-App', doc: 'Die gebaute Web-App. Leer: Der Server bietet nur die API.' },
  THREADBOX_UNDO_SECONDS: {
    title: 'Löschen rückgängig machen (Sekunden)',
    doc: 'Wie viele Sekunden ein gelöschter Thread wiederhergestellt werden kann.',
  },
  THREADBOX_CONNECTIONS_ALLOW: {
    title: 'Private Adressen für Verbindungen',
    doc: 'Namen, Adressen und Bereiche in privaten Netzen, durch Kommas getrennt, zu denen MCP-Verbindungen, Git-Zugänge und Anmeldungen bei Anbietern führen dürfen; diese dürfen auch unverschlüsselt sein.',
  },
  THREADBOX_CONNECTION_SECONDS: {
    title: 'Zeit je Antwort eines MCP-Servers',
    doc: 'Wie viele Sekunden ein MCP-Server für eine Antwort brauchen und ein Git-Server stumm bleiben darf.',
  },
  THREADBOX_CONNECTION_ANSWER_MEBIBYTES: {
    title: 'Größte Antwort eines MCP-Servers',
    doc: 'Größte Antwort eines MCP-Servers in MiB. Was darüber ist, wird nicht gelesen.',
  },
  THREADBOX_CONNECTION_PROGRAMS: {
    title: 'Programme als Verbindungen',
    doc: 'Wie viele Verbindungen einer Person höchstens ein Programm in einer eigenen Sandbox ausführen. 0: keine.',
  },
  THREADBOX_CONNECTION_PROGRAM_MEBIBYTES: {
    title: 'Arbeitsspeicher für Programme von Verbindungen (MiB)',
    doc: 'Arbeitsspeicher in MiB der Sandbox, in der das Programm einer Verbindung läuft. Nur belegt, solange es läuft.',
  },
  THREADBOX_MAX_TURN_STEPS: {
    title: 'Schritte je Antwort',
    doc: 'Höchste Zahl der Schritte des Modells, bevor die Antwort mit dem Angebot fortzufahren anhält.',
  },
  THREADBOX_MAX_TURN_MINUTES: {
    title: 'Minuten je Antwort',
    doc: 'Längste Dauer einer Antwort in Minuten, Befehle eingeschlossen.',
  },
  THREADBOX_MAX_TURN_TOKENS: {
    title: 'Tokens je Antwort',
    doc: 'Höchste Zahl der Tokens: was das Modell liest, auch aus dem Cache, und was es schreibt.',
  },
  THREADBOX_MAX_TURN_USD: {
    title: 'Kosten je Antwort',
    doc: 'Höchste Kosten in USD. Zählt nur bei Modellen mit bekanntem Preis. 0: keine Grenze.',
  },
  THREADBOX_MAX_ANSWER_TOKENS: {
    title: 'Länge eines Schrittes',
    doc: 'Längster einzelner Schritt des Modells in Tokens; höchstens ein Viertel seines Fensters.',
  },
  THREADBOX_COMPACT_AT_PERCENT: {
    title: 'Zusammenfassen ab',
    doc: 'Wie voll das Fenster des Modells in Prozent werden darf, bevor Älteres zusammengefasst wird.',
  },
  THREADBOX_TOOL_OUTPUT_CHARACTERS: {
    title: 'Ausgabe für das Modell',
    doc: 'Wie viele Zeichen einer Ausgabe das Modell bekommt: Anfang und Ende. Der Rest liegt in einer Datei.',
  },
  THREADBOX_SAVED_OUTPUT_MEBIBYTES: {
    title: 'Gespeicherte Ausgabe',
    doc: 'Größte Ausgabe in MiB, die auch als Datei in der Sandbox liegt. Ihre eigene Kopie hat keine Grenze.',
  },
}
