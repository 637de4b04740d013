import type { ErrorWords } from '../words.ts'

/** Errors of passkeys. */
export const passkeyErrors: ErrorWords = {
  'auth.passkey-required': {
    message: 'Qui il proprietario e gli amministratori hanno bisogno di una passkey per questo, e tu non ne hai.',
    remedy: 'Aggiungine una in Impostazioni, Profilo, poi riprova.',
  },
  'setting.own-passkey-missing': {
    message: 'Non puoi richiedere le passkey finché non ne hai una: resteresti fuori.',
    remedy: 'Aggiungi una passkey in Impostazioni, Profilo, poi cambia l’impostazione.',
  },
  'passkey.not-found': {
    message: 'Passkey non trovata.',
    remedy: 'Forse è già stata rimossa. Ricarica l’elenco.',
  },
  'passkey.host-unsuitable': {
    message: 'Le passkey non funzionano all’indirizzo {host}.',
    remedy:
      'Apri threadbox con il suo nome, con https o come `localhost`. Un indirizzo IP, o un nome usato anche dalle anteprime, non può avere passkey.',
  },
  'passkey.challenge-expired': {
    message: 'Questa richiesta di passkey non vale più. Vale una volta sola, entro 5 minuti.',
    remedy: 'Riprova.',
  },
  'passkey.other-browser': {
    message: 'Questa richiesta di passkey viene da un altro browser.',
    remedy: 'Riprova in questo browser, con i cookie consentiti.',
  },
  'passkey.origin-wrong': {
    message: 'La passkey è stata usata in una pagina diversa da questa.',
    remedy: 'Usala solo nella pagina di threadbox. Se non l’hai usata altrove, avvisa il proprietario.',
  },
  'passkey.host-wrong': {
    message: 'Questa passkey appartiene a un altro indirizzo.',
    remedy: 'Usane una aggiunta a questo indirizzo, oppure accedi con la password e aggiungine una.',
  },
  'passkey.not-verified': {
    message: 'Il dispositivo non ha verificato la tua identità.',
    remedy: 'Imposta un PIN, l’impronta o il volto sul dispositivo, poi riprova.',
  },
  'passkey.unknown': {
    message: 'Questa passkey non è conosciuta qui.',
    remedy: 'Forse è stata rimossa. Usane un’altra, oppure accedi con la password.',
  },
  'passkey.invalid': {
    message: 'Quello che il dispositivo ha inviato non è una risposta valida di una passkey.',
    remedy: 'Riprova, oppure usa un’altra passkey.',
  },
  'passkey.counter-behind': {
    message: 'Questa passkey è stata usata meno volte di quante ne conosce threadbox. Forse ne esiste una copia.',
    remedy: 'Accedi con la password, rimuovi questa passkey e aggiungine una nuova.',
  },
  'passkey.already-added': {
    message: 'Questa passkey è già stata aggiunta.',
    remedy: 'Usa un altro dispositivo, oppure la passkey nell’elenco.',
  },
  'passkey.limit': {
    message: 'Hai già {limit} passkey.',
    remedy: 'Rimuovine una che non usi più.',
  },
}
