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
}
