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
}
