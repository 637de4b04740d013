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
