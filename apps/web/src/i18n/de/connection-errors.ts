import type { ErrorWords } from '../words.ts'

/** Sentences for what can be wrong with the connections of the agent and their servers. */
export const connectionErrors: ErrorWords = {
  'call.not-awaiting': {
    message: 'Dieser Aufruf wartet auf niemanden: er ist schon entschieden, oder der Lauf wurde gestoppt.',
    remedy: 'Sehen Sie das Gespräch noch einmal an.',
  },
  'git-credential.address-invalid': {
    message: 'Diese Adresse geht für einen Git-Zugang nicht: {problem}',
    remedy: 'Geben Sie den Namen des Servers ein, etwa github.com, oder seine https-Adresse ohne Pfad.',
  },
  'git-credential.address-refused': {
    message: '{host} ist eine Adresse in einem privaten Netz; dorthin dürfen Git-Zugänge nicht führen.',
    remedy: 'Die Verwalterin oder der Verwalter kann sie mit THREADBOX_CONNECTIONS_ALLOW erlauben.',
  },
  'git-credential.limit': {
    message: 'Es gibt schon {limit} Git-Zugänge, mehr kann eine Person nicht haben.',
    remedy: 'Entfernen Sie einen, der nicht gebraucht wird.',
  },
  'git-credential.not-found': {
    message: 'Einen Git-Zugang mit dieser Kennung gibt es nicht.',
    remedy: 'Wählen Sie einen aus der Liste der Git-Zugänge.',
  },
  'connection.address-invalid': {
    message: 'Diese Adresse geht für eine Verbindung nicht: {problem}',
    remedy: 'Geben Sie die https-Adresse eines MCP-Servers ein, ohne Benutzernamen und Passwort darin.',
  },
  'connection.address-refused': {
    message: '{host} ist eine Adresse in einem privaten Netz; dorthin dürfen Verbindungen nicht führen.',
    remedy: 'Die Verwalterin oder der Verwalter kann sie mit THREADBOX_CONNECTIONS_ALLOW erlauben.',
  },
  'connection.answer-invalid': {
    message: 'Was der Server der Verbindung antwortet, ist kein MCP: {problem}',
    remedy: 'Prüfen Sie die Adresse. Stimmt sie, hat der Server einen Fehler.',
  },
  'connection.answer-too-large': {
    message: 'Der Server der Verbindung sandte mehr als {mebibytes} MiB; dort wurde aufgehört zu lesen.',
    remedy: 'Fragen Sie auf einmal nach weniger: eine Seite, ein Bereich, weniger Felder.',
  },
  'connection.approval-missing': {
    message: '{tool} muss eine Person erlauben, und niemand sieht diesem Gespräch zu.',
    remedy: 'Anders vorgehen. Dauerhaft erlauben lässt es sich in Einstellungen → Verbindungen.',
  },
  'connection.call-denied': {
    message: 'Dieser Aufruf von {tool} wurde nicht erlaubt und nicht gemacht.',
    remedy: 'Der Agent geht anders weiter oder fragt.',
  },
  'connection.has-no-login': {
    message: 'Diese Verbindung nutzt ein Token oder nichts, keine Anmeldung im Browser.',
    remedy: 'Wählen Sie für sie zuerst „Anmeldung im Browser“.',
  },
  'connection.login-failed': {
    message: 'Die Anmeldung beim Server der Verbindung ist gescheitert: {problem}',
    remedy: 'Beginnen Sie die Anmeldung neu in Einstellungen → Verbindungen.',
  },
  'connection.login-needed': {
    message: 'Jemand muss sich beim Server der Verbindung anmelden.',
    remedy: 'Drücken Sie bei ihr „Anmelden“ in Einstellungen → Verbindungen.',
  },
  'connection.http-failed': {
    message: 'Der Server der Verbindung antwortet mit Status {status}.',
    remedy:
      'Prüfen Sie, ob die Adresse die eines MCP-Servers über streamable HTTP ist, und testen Sie dann die Verbindung.',
  },
  'connection.kind-other': {
    message: 'Diese Verbindung ist von anderer Art: {field} hat sie nicht.',
    remedy: 'Legen Sie eine neue Verbindung der gewünschten Art an.',
  },
  'connection.limit': {
    message: 'Hier gibt es schon {limit} Verbindungen, mehr gehen nicht.',
    remedy: 'Entfernen Sie eine, die niemand braucht.',
  },
  'connection.name-taken': {
    message: 'Hier gibt es schon eine Verbindung, deren Werkzeuge so hießen wie die von {name}.',
    remedy: 'Geben Sie ihr einen anderen Namen.',
  },
  'connection.not-found': {
    message: 'Eine Verbindung mit dieser Kennung gibt es nicht.',
    remedy: 'Laden Sie die Liste neu.',
  },
  'connection.program-busy': {
    message: 'Das Programm der Verbindung läuft schon für {limit} Gespräche, mehr zugleich gehen nicht.',
    remedy: 'Versuchen Sie es noch einmal, wenn eines davon seinen Aufruf beendet hat.',
  },
  'connection.program-ended': {
    message: 'Das Programm der Verbindung hat geendet ({how}). Seine letzten Worte: {lastWords}',
    remedy:
      'Prüfen Sie seine Argumente und Variablen, und testen Sie dann die Verbindung. Was ein Aufruf bis dahin getan hat, ist nicht bekannt.',
  },
  'connection.program-limit': {
    message: 'Jede Person darf {limit} Verbindungen haben, die ein Programm starten, und so viele gibt es.',
    remedy: 'Entfernen Sie eine, oder lassen Sie THREADBOX_CONNECTION_PROGRAMS erhöhen.',
  },
  'connection.program-not-started': {
    message: '{command} konnte in der Sandbox der Verbindung nicht gestartet werden: {problem}',
    remedy: 'Prüfen Sie den Befehl. npx, uvx, node und python3 sind da; sie installieren, was man ihnen nennt.',
  },
  'connection.program-restarts': {
    message:
      'Das Programm der Verbindung ist in {minutes} Minuten {failures}-mal gescheitert und wird vorerst nicht mehr gestartet.',
    remedy:
      'Testen Sie die Verbindung in Einstellungen → Verbindungen: das sagt, was nicht stimmt, und startet es neu.',
  },
  'connection.request-refused': {
    message: 'Der Server der Verbindung lehnt die Anfrage ab. Er sagt: {problem}',
    remedy: 'Ändern Sie die Anfrage, wie er es sagt, oder gehen Sie anders vor.',
  },
  'connection.secret-missing': {
    message: 'Die geheimen Variablen galten für das Programm, wie es war; nun wäre es ein anderes.',
    remedy: 'Geben Sie alle Variablen mit ihren Werten ein.',
  },
  'connection.timed-out': {
    message: 'Der Server der Verbindung gab in {seconds} Sekunden keine ganze Antwort.',
    remedy:
      'Versuchen Sie es später, oder fragen Sie auf einmal nach weniger. Was der Aufruf dort getan hat, ist nicht bekannt.',
  },
  'connection.tool-gone': {
    message: 'Die Verbindung bietet {tool} nicht mehr an, oder sie wurde entfernt oder ausgeschaltet.',
    remedy: 'Sehen Sie sie in Einstellungen → Verbindungen an.',
  },
  'connection.tool-not-found': {
    message: 'Die Verbindung hat kein Werkzeug namens {tool}.',
    remedy: 'Sehen Sie ihre Werkzeuge noch einmal an: der Server kann sie verändert haben.',
  },
  'connection.tool-off': {
    message: 'Das Werkzeug {tool} ist für diese Verbindung ausgeschaltet.',
    remedy: 'Einschalten lässt es sich in Einstellungen → Verbindungen.',
  },
  'connection.unauthorized': {
    message: 'Der Server der Verbindung nimmt das Token nicht an (Status {status}).',
    remedy: 'Geben Sie in Einstellungen → Verbindungen ein neues ein. Vielleicht hat es auch zu wenige Rechte.',
  },
  'connection.unreachable': {
    message: 'Der Server der Verbindung ist nicht zu erreichen: {problem}',
    remedy: 'Prüfen Sie die Adresse, und ob der Server läuft; testen Sie dann die Verbindung.',
  },
}
