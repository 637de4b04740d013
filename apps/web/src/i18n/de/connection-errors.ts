import type { ErrorWords } from '../words.ts'

/** Sentences for what can be wrong with the connections of the agent and their servers. */
export const connectionErrors: ErrorWords = {
  'call.not-awaiting': {
    message:
      'Dieser Aufruf wartet nicht auf eine Erlaubnis: Er ist schon entschieden, oder die Antwort wurde gestoppt.',
    remedy: 'Laden Sie das Gespräch neu.',
  },
  'git-credential.address-invalid': {
    message: 'Dieser Server lässt sich für einen Git-Zugang nicht verwenden: {problem}',
    remedy: 'Geben Sie den Namen des Servers ein, etwa github.com, oder seine HTTPS-Adresse ohne Pfad.',
  },
  'git-credential.address-refused': {
    message: '{host} liegt in einem privaten Netz. Git-Zugänge dorthin sind nicht erlaubt.',
    remedy: 'Die Verwalterin oder der Verwalter kann sie mit THREADBOX_CONNECTIONS_ALLOW erlauben.',
  },
  'git-credential.limit': {
    message: 'Sie können bis zu {limit} Git-Zugänge haben.',
    remedy: 'Entfernen Sie einen, den Sie nicht brauchen.',
  },
  'git-credential.not-found': {
    message: 'Der Git-Zugang wurde nicht gefunden.',
    remedy: 'Wählen Sie einen aus der Liste der Git-Zugänge.',
  },
  'connection.address-invalid': {
    message: 'Diese Adresse lässt sich für eine Verbindung nicht verwenden: {problem}',
    remedy: 'Geben Sie die HTTPS-Adresse eines MCP-Servers ein, ohne Benutzernamen und Passwort.',
  },
  'connection.address-refused': {
    message: '{host} liegt in einem privaten Netz. Verbindungen dorthin sind nicht erlaubt.',
    remedy: 'Die Verwalterin oder der Verwalter kann sie mit THREADBOX_CONNECTIONS_ALLOW erlauben.',
  },
  'connection.answer-invalid': {
    message: 'Der MCP-Server hat eine ungültige Antwort gesendet: {problem}',
    remedy: 'Prüfen Sie die Adresse. Stimmt sie, liegt der Fehler beim MCP-Server.',
  },
  'connection.answer-too-large': {
    message: 'Die Antwort des MCP-Servers ist größer als {mebibytes} MiB und wurde abgeschnitten.',
    remedy: 'Fordern Sie weniger auf einmal an: eine Seite, einen kleineren Bereich oder weniger Felder.',
  },
  'connection.approval-missing': {
    message: '{tool} braucht eine Erlaubnis, und diese Antwort entsteht unbeaufsichtigt.',
    remedy: 'Der Agent geht anders vor. Dauerhaft erlauben lässt sich das Werkzeug in Einstellungen → Verbindungen.',
  },
  'connection.call-denied': {
    message: 'Dieser Aufruf von {tool} wurde abgelehnt und nicht ausgeführt.',
    remedy: 'Der Agent geht anders vor oder fragt nach.',
  },
  'connection.has-no-login': {
    message: 'Diese Verbindung verwendet kein OAuth.',
    remedy: 'Wählen Sie für sie zuerst die Anmeldung mit OAuth.',
  },
  'connection.login-failed': {
    message: 'Die Anmeldung beim MCP-Server ist fehlgeschlagen: {problem}',
    remedy: 'Melden Sie sich in Einstellungen → Verbindungen noch einmal an.',
  },
  'connection.login-needed': {
    message: 'Der MCP-Server verlangt eine Anmeldung.',
    remedy: 'Wählen Sie bei der Verbindung „Anmelden“ in Einstellungen → Verbindungen.',
  },
  'connection.http-failed': {
    message: 'Der MCP-Server antwortete mit dem HTTP-Status {status}.',
    remedy:
      'Prüfen Sie, ob die Adresse zu einem MCP-Server über Streamable HTTP gehört, und testen Sie dann die Verbindung.',
  },
  'connection.kind-other': {
    message: 'Eine Verbindung dieser Art kennt {field} nicht.',
    remedy: 'Legen Sie eine neue Verbindung der gewünschten Art an.',
  },
  'connection.limit': {
    message: 'Sie können hier bis zu {limit} Verbindungen haben.',
    remedy: 'Entfernen Sie eine, die Sie nicht brauchen.',
  },
  'connection.name-taken': {
    message: 'Mit dem Namen {name} bekämen die Werkzeuge dasselbe Präfix wie die einer vorhandenen Verbindung.',
    remedy: 'Wählen Sie einen anderen Namen.',
  },
  'connection.not-found': {
    message: 'Die Verbindung wurde nicht gefunden.',
    remedy: 'Laden Sie die Liste neu.',
  },
  'connection.program-busy': {
    message: 'Das MCP-Programm läuft schon für {limit} Gespräche; mehr sind nicht möglich.',
    remedy: 'Versuchen Sie es noch einmal, wenn einer dieser Aufrufe beendet ist.',
  },
  'connection.program-ended': {
    message: 'Das MCP-Programm wurde beendet ({how}). Letzte Ausgabe: {lastWords}',
    remedy:
      'Prüfen Sie seine Argumente und Variablen, und testen Sie dann die Verbindung. Ein unterbrochener Aufruf kann teilweise ausgeführt worden sein.',
  },
  'connection.program-limit': {
    message: 'Sie können bis zu {limit} Verbindungen haben, die ein Programm starten.',
    remedy: 'Entfernen Sie eine, oder lassen Sie THREADBOX_CONNECTION_PROGRAMS erhöhen.',
  },
  'connection.program-not-started': {
    message: '{command} konnte in der Sandbox der Verbindung nicht gestartet werden: {problem}',
    remedy:
      'Prüfen Sie den Befehl. npx, uvx, node und python3 sind vorhanden; npx und uvx installieren, was Sie ihnen nennen.',
  },
  'connection.program-restarts': {
    message:
      'Das MCP-Programm ist in {minutes} Minuten {failures}-mal fehlgeschlagen und wird deshalb nicht neu gestartet.',
    remedy:
      'Testen Sie die Verbindung in Einstellungen → Verbindungen: Das zeigt, was nicht stimmt, und startet sie neu.',
  },
  'connection.request-refused': {
    message: 'Der MCP-Server hat die Anfrage abgelehnt: {problem}',
    remedy: 'Ändern Sie die Anfrage entsprechend, oder gehen Sie anders vor.',
  },
  'connection.secret-missing': {
    message: 'Die gespeicherten geheimen Werte gehören zu einem anderen Programm.',
    remedy: 'Geben Sie alle Variablen mit ihren Werten ein.',
  },
  'connection.timed-out': {
    message: 'Der MCP-Server hat innerhalb von {seconds} Sekunden keine vollständige Antwort gesendet.',
    remedy:
      'Versuchen Sie es später noch einmal, oder fordern Sie weniger an. Der Aufruf kann auf dem Server teilweise ausgeführt worden sein.',
  },
  'connection.tool-gone': {
    message:
      '{tool} ist nicht mehr verfügbar: Der Server bietet es nicht mehr an, oder die Verbindung wurde entfernt oder ausgeschaltet.',
    remedy: 'Prüfen Sie die Verbindung in Einstellungen → Verbindungen.',
  },
  'connection.tool-not-found': {
    message: 'Die Verbindung hat kein Werkzeug namens {tool}.',
    remedy: 'Laden Sie ihre Werkzeuge neu; der Server kann sie geändert haben.',
  },
  'connection.tool-off': {
    message: 'Das Werkzeug {tool} ist für diese Verbindung ausgeschaltet.',
    remedy: 'Einschalten lässt es sich in Einstellungen → Verbindungen.',
  },
  'connection.unauthorized': {
    message: 'Der MCP-Server hat das Token abgelehnt (HTTP-Status {status}).',
    remedy: 'Geben Sie in Einstellungen → Verbindungen ein neues ein, und prüfen Sie seine Rechte.',
  },
  'connection.unreachable': {
    message: 'Der MCP-Server ist nicht zu erreichen: {problem}',
    remedy: 'Prüfen Sie die Adresse und ob der Server läuft; testen Sie dann die Verbindung.',
  },
}
