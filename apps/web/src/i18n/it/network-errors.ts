import type { ErrorWords } from '../words.ts'

export const networkErrors: ErrorWords = {
  'network-policy.name-invalid': {
    message: 'Una regola di rete non può consentire “{name}”.',
    remedy:
      'Inserisci un nome completo come example.org, oppure *.example.org per tutto ciò che sta sotto, entrambi anche con una porta da 1 a 65535 tranne 53 (example.org:8443). Indirizzi e interi domini di primo livello non si possono consentire.',
  },
  'network-policy.nothing-reachable': {
    message:
      'Una regola che vale per questo thread non consente alcuna connessione, quindi non vi si può aggiungere un nome.',
    remedy: 'Prima cambia quella regola in un elenco di nomi consentiti.',
  },
  'network-policy.too-many-names': {
    message: 'L’elenco contiene già {limit} nomi.',
    remedy: 'Rimuovi i nomi che non servono più, o sostituiscine alcuni con uno come *.example.org.',
  },
  'private-address.name-invalid': {
    message: '“{entry}” non inizia con un nome che le sandbox possono usare.',
    remedy: 'Inserisci un nome completo come git.corp.example, senza * e non un indirizzo.',
  },
  'private-address.port-invalid': {
    message: '“{entry}” non ha una porta che le sandbox possono raggiungere.',
    remedy: 'Inserisci una porta da 1 a 65535, tranne 53 e le porte di posta 25, 465 e 587.',
  },
  'private-address.range-invalid': {
    message: '“{entry}” non ha un intervallo di indirizzi IPv4.',
    remedy: 'Inserisci il primo indirizzo con la lunghezza del prefisso, come 10.1.2.0/24, oppure un solo indirizzo.',
  },
  'private-address.range-too-wide': {
    message: 'L’intervallo in “{entry}” ha più di 65.536 indirizzi.',
    remedy: 'Inserisci l’intervallo in cui si trova il servizio, al massimo un /16.',
  },
  'private-address.range-refused': {
    message: 'L’intervallo in “{entry}” non è in una rete privata.',
    remedy:
      'Inserisci un intervallo in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 o 100.64.0.0/10. I nomi pubblici non richiedono una voce; gli indirizzi di loopback, link-local e dei metadati non si possono consentire.',
  },
}
