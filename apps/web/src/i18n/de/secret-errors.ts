import type { ErrorWords } from '../words.ts'

export const secretErrors: ErrorWords = {
  'boot-files.authority-invalid': {
    message: 'Das Zertifikat ist nicht das einer Zertifizierungsstelle.',
    remedy: 'Starten Sie threadbox neu, damit sein Egress-Prozess eine neue Zertifizierungsstelle anlegt.',
  },
  'secret.broker-unreachable': {
    message: 'Der Prozess, der Geheimnisse einsetzt, ist nicht erreichbar.',
    remedy: 'Er wird jede Sekunde erneut versucht. Bleibt es dabei, sagt `threadbox doctor`, warum.',
  },
  'secret.broker-answer-unknown': {
    message: 'Der Prozess, der Geheimnisse einsetzt, hat eine unbekannte Antwort gesendet (Status {status}).',
    remedy: 'Starten Sie threadbox neu, damit alle seine Prozesse dieselbe Version haben.',
  },
  'secret.not-found': {
    message: 'Dieses Geheimnis gibt es nicht.',
    remedy: 'Wählen Sie eines aus der Liste der Geheimnisse.',
  },
  'secret.limit': {
    message: 'Hier sind höchstens {limit} Geheimnisse möglich.',
    remedy: 'Löschen Sie eines, das nicht mehr gebraucht wird.',
  },
  'secret.name-taken': {
    message: 'Es gibt bereits ein Geheimnis namens {name}.',
    remedy: 'Wählen Sie einen anderen Namen, oder ändern Sie das vorhandene Geheimnis.',
  },
  'secret.name-reserved': {
    message: 'Ein Geheimnis kann nicht {name} heißen, weil Programme diese Variable für etwas anderes verwenden.',
    remedy: 'Wählen Sie einen anderen Namen, zum Beispiel SERVICE_TOKEN.',
  },
  'secret.value-empty': { message: 'Der Wert des Geheimnisses ist leer.', remedy: 'Geben Sie den Wert ein.' },
  'secret.value-too-long': {
    message: 'Der Wert des Geheimnisses ist länger als {limitBytes:size}.',
    remedy: 'Geben Sie nur den Schlüssel, das Token oder das Passwort selbst ein.',
  },
  'secret.value-multiline': {
    message:
      'Der Wert des Geheimnisses hat einen Zeilenumbruch. In einem Header ist keiner möglich, deshalb könnte der Wert nie gesendet werden.',
    remedy: 'Geben Sie den Wert in einer Zeile ein. Für mehrzeilige Schlüssel verwenden Sie eine Datei in der Sandbox.',
  },
  'secret.value-unprintable': {
    message:
      'Der Wert des Geheimnisses hat ein Zeichen, das in einem Header nicht möglich ist: ein Steuerzeichen wie NUL oder ein Zeichen außerhalb von ASCII.',
    remedy: 'Kopieren Sie den Wert noch einmal aus seiner Quelle.',
  },
  'secret.value-spaces': {
    message: 'Der Wert des Geheimnisses beginnt oder endet mit einem Leerzeichen, das in einem Header verloren ginge.',
    remedy: 'Geben Sie den Wert ohne das Leerzeichen ein.',
  },
  'secret.host-invalid': {
    message: 'Ein Geheimnis kann nicht für „{host}“ sein.',
    remedy:
      'Geben Sie einen genauen Namen wie api.example.org ein, mit einem Port von 1 bis 65535, wenn es nicht 443 ist. Platzhalter und Adressen sind nicht möglich.',
  },
  'secret.not-usable-here': {
    message: 'Das Geheimnis „{secret}“ kann in dieser Anfrage an {host} nicht verwendet werden: {condition}.',
    remedy:
      'Ändern Sie die Anfrage so, dass sie die Bedingung erfüllt, oder ändern Sie Hosts, Methoden, Pfad oder Stellen des Geheimnisses.',
  },
  'secret.wrong-host': {
    message: 'Diese Verbindung geht zu {host}, die Anfrage aber an „{asked}“.',
    remedy:
      'Senden Sie als TLS-Servernamen und als Host denselben Namen, und nutzen Sie für jeden Host eine eigene Verbindung.',
  },
  'secret.not-ready': {
    message: 'Die Geheimnisse für {host} sind noch nicht geladen.',
    remedy: 'Versuchen Sie es in einer Sekunde noch einmal.',
  },
  'secret.request-refused': {
    message: 'Die Anfrage an {host}, einen Host mit einem Geheimnis, wurde nicht gesendet: {reason}.',
    remedy: 'Senden Sie eine einfache Anfrage mit HTTP/1.1 oder HTTP/2.',
  },
  'secret.body-too-large': {
    message:
      'Der Platzhalter des Geheimnisses „{secret}“ steht in einem Inhalt von mehr als {maxBytes} Byte; dort wird er nicht ersetzt.',
    remedy: 'Senden Sie das Geheimnis in einem Header oder in einem kleineren Inhalt.',
  },
  'secret.body-encoded': {
    message:
      'Der Platzhalter des Geheimnisses „{secret}“ steht in einem Inhalt mit der Kodierung {encoding}; dort wird er nicht ersetzt.',
    remedy: 'Senden Sie den Inhalt unkomprimiert.',
  },
  'secret.host-unreachable': {
    message: 'Die Anfrage an {host} ist fehlgeschlagen: {reason}.',
    remedy: 'Versuchen Sie es noch einmal. Wenn es weiter fehlschlägt, prüfen Sie, ob der Server den Host erreicht.',
  },
  'secret.response-unreadable': {
    message:
      '{host} hat ein Geheimnis, und seine Antwort hat die Kodierung „{encoding}“, die nicht danach durchsucht werden kann.',
    remedy: 'Fordern Sie vom Host eine unkomprimierte Antwort an.',
  },
  'secret.host-own': {
    message: '{host} ist eine Adresse von threadbox selbst, deshalb kann kein Geheimnis dafür sein.',
    remedy: 'Geben Sie den Host des Dienstes ein, für den das Geheimnis ist.',
  },
  'secret.header-reserved': {
    message:
      'Ein Geheimnis kann den Header {name} nicht setzen, weil er bestimmt, wohin eine Anfrage geht oder wo sie endet.',
    remedy: 'Geben Sie den Header ein, in dem der Dienst seinen Schlüssel erwartet, zum Beispiel Authorization.',
  },
  'secret.unusable': {
    message:
      'Das Geheimnis hat keinen Platz in einer Anfrage: weder eine Stelle für seinen Platzhalter noch einen Header.',
    remedy: 'Wählen Sie mindestens eine Stelle, oder geben Sie einen Header ein.',
  },
  'secret.name-granted': {
    message: 'Dieser Thread hat bereits ein anderes Geheimnis namens {name}.',
    remedy: 'Entziehen Sie zuerst dieses, oder benennen Sie eines der beiden um.',
  },
  'secret.thread-shared': {
    message:
      'In diesem Thread können auch andere arbeiten, deshalb kann Ihr persönliches Geheimnis {name} hier nicht verwendet werden.',
    remedy: 'Verwenden Sie ein Geheimnis des Workspace.',
  },
}
