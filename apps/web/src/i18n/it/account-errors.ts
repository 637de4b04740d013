import type { ErrorWords } from '../words.ts'

/** What can go wrong with sign-ins, sessions and API keys. */
export const accountErrors: ErrorWords = {
  'api-key.not-found': {
    message: 'Chiave API non trovata.',
    remedy: 'Può essere già stata eliminata. Ricarica l’elenco.',
  },
  'auth.credentials-wrong': {
    message: 'L’indirizzo e-mail o la password non sono corretti.',
    remedy: 'Controlla entrambi, e che il blocco maiuscole non sia attivo.',
  },
  'auth.email-taken': {
    message: 'Esiste già un account con questo indirizzo e-mail.',
    remedy: 'Accedi, o usa un altro indirizzo.',
  },
  'auth.owner-required': {
    message: 'Possono farlo solo il proprietario e gli amministratori di questa installazione.',
    remedy: 'Chiedi a uno di loro.',
  },
  'auth.owner-token-wrong': {
    message: 'Questo link di registrazione non è valido per questa installazione.',
    remedy: 'Usa l’ultimo link mostrato da `./threadbox up`.',
  },
  'auth.required': { message: 'Devi accedere.', remedy: 'Accedi.' },
  'auth.confirmation-required': {
    message: 'Serve di nuovo la password o una passkey, perché hai effettuato l’accesso più di 10 minuti fa.',
    remedy: 'Ripeti l’azione e conferma la tua identità.',
  },
  'auth.outside-workspaces': {
    message: 'Questa chiave API è limitata a spazi di lavoro, e questo è al di fuori.',
    remedy: 'Indica uno degli spazi di lavoro della chiave (`workspaceId`), oppure usa una chiave senza limiti.',
  },
  'auth.scope-missing': {
    message: 'Questa chiave API non ha l’ambito «{scope}».',
    remedy: 'Usa una chiave con l’ambito «{scope}». Puoi crearla in Impostazioni, Chiavi API.',
  },
  'auth.password-wrong': {
    message: 'La password non è corretta.',
    remedy: 'Controllala, e controlla che il blocco maiuscole sia disattivato.',
  },
  'auth.session-required': {
    message: 'Con una chiave API non si può fare.',
    remedy: 'Accedi all’app e fallo lì.',
  },
  'auth.sign-up-closed': {
    message: 'Questa installazione ha già un proprietario. Altre persone non possono registrarsi.',
    remedy: 'Se sei il proprietario, accedi. Altrimenti chiedigli un link a un thread.',
  },
  'auth.too-many-attempts': {
    message: 'Troppi tentativi. Riprova tra {retryAfterSeconds} s.',
    remedy: 'Aspetta, poi riprova.',
  },
  'session.not-found': {
    message: 'Sessione non trovata.',
    remedy: 'Può essere terminata. Ricarica l’elenco.',
  },
}
