import type { ErrorWords } from '../words.ts'

export const networkErrors: ErrorWords = {
  'network-policy.name-invalid': {
    message: 'Eine Netzwerkrichtlinie kann „{name}“ nicht erlauben.',
    remedy:
      'Geben Sie einen vollständigen Namen wie example.org ein, oder *.example.org für alles darunter, beides auch mit einem Port von 1 bis 65535 außer 53 (example.org:8443). Adressen und ganze Top-Level-Domains lassen sich nicht erlauben.',
  },
  'network-policy.nothing-reachable': {
    message:
      'Eine Richtlinie, die für diesen Thread gilt, erlaubt gar keine Verbindungen. Ihr kann kein Name hinzugefügt werden.',
    remedy: 'Ändern Sie diese Richtlinie zuerst in eine Liste erlaubter Namen.',
  },
  'network-policy.too-many-names': {
    message: 'Die Liste hat bereits {limit} Namen.',
    remedy:
      'Entfernen Sie Namen, die nicht mehr gebraucht werden, oder ersetzen Sie mehrere durch einen wie *.example.org.',
  },
  'private-address.name-invalid': {
    message: '„{entry}“ beginnt nicht mit einem Namen, den Sandboxes verwenden können.',
    remedy: 'Geben Sie einen vollständigen Namen wie git.corp.example ein, ohne * und keine Adresse.',
  },
  'private-address.port-invalid': {
    message: '„{entry}“ hat keinen Port, den Sandboxes erreichen können.',
    remedy: 'Geben Sie einen Port von 1 bis 65535 ein, außer 53 und den Mail-Ports 25, 465 und 587.',
  },
  'private-address.range-invalid': {
    message: '„{entry}“ hat keinen Bereich von IPv4-Adressen.',
    remedy:
      'Geben Sie die erste Adresse mit der Länge des Präfixes ein, zum Beispiel 10.1.2.0/24, oder eine einzelne Adresse.',
  },
  'private-address.range-too-wide': {
    message: 'Der Bereich in „{entry}“ hat mehr als 65.536 Adressen.',
    remedy: 'Geben Sie den Bereich ein, in dem der Dienst ist, höchstens ein /16.',
  },
  'private-address.range-refused': {
    message: 'Der Bereich in „{entry}“ liegt in keinem privaten Netzwerk.',
    remedy:
      'Geben Sie einen Bereich in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 oder 100.64.0.0/10 ein. Öffentliche Namen brauchen keinen Eintrag; Loopback-, Link-Local- und Metadaten-Adressen lassen sich nicht erlauben.',
  },
}
