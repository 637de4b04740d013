import type { ErrorWords } from '../words.ts'

/** Errors of previews, by code. */
export const previewErrors: ErrorWords = {
  'preview.asleep': {
    message: 'La sandbox dietro questa pagina dorme, e questo link non può risvegliarla.',
    remedy: 'Chiedi a chi l’ha condivisa di risvegliarla. Poi la pagina si apre automaticamente.',
  },
  'preview.broken-off': {
    message: 'Il servizio sulla porta {port} ha accettato la richiesta, ma non ha inviato una risposta: {reason}',
    remedy: 'Controlla il log del servizio, poi riprova.',
  },
  'preview.cookies-blocked': {
    message: 'Questo browser blocca i cookie nei frame, che servono alle anteprime per restare private.',
    remedy: 'Consenti nel browser i cookie per {wildcard}, o apri le anteprime in una scheda propria.',
  },
  'preview.foreign-request': {
    message: 'Questa richiesta è arrivata da un’altra origine.',
    remedy: 'Inviala da una pagina dello stesso thread.',
  },
  'preview.malformed-request': {
    message:
      'La richiesta è ambigua. Deve avere un solo header Host, un percorso che inizia con / e al massimo uno tra Content-Length e Transfer-Encoding: chunked.',
    remedy: 'Correggi il programma che invia la richiesta.',
  },
  'preview.names-elsewhere': {
    message: 'Questo browser non raggiunge {name}, anche se raggiunge l’app.',
    remedy:
      'Fai puntare {wildcard} allo stesso server del dominio dell’app, e configura gli eventuali proxy perché inoltrino questi nomi con il loro header Host.',
  },
  'preview.names-local': {
    message: 'Questo browser non risolve {name}, anche se i nomi sotto localhost indicano questo computer.',
    remedy:
      'Usa un browser che risolve questi nomi (Chrome, Edge, Firefox), o dai un dominio all’installazione con `threadbox up --domain`.',
  },
  'preview.names-missing': {
    message: 'Le anteprime usano {wildcard}, ma questi nomi non si risolvono.',
    remedy: 'Aggiungi un record DNS per {wildcard} che punti allo stesso server del dominio dell’app.',
  },
  'preview.names-untrusted': {
    message: 'Questo browser non raggiunge https://{name}, anche se raggiunge l’app.',
    remedy:
      'Dai al proxy che termina TLS un certificato per {wildcard}, e configuralo perché inoltri questi nomi con il loro header Host.',
  },
  'preview.no-name': {
    message:
      'Le anteprime richiedono un dominio. Questa installazione ha solo nomi sotto localhost, che indicano il tuo computer.',
    remedy:
      'Esegui `ssh -L {port}:127.0.0.1:{port}` verso il server e apri l’indirizzo mostrato da `threadbox status`, o dai un dominio all’installazione con `threadbox up --domain`.',
  },
  'preview.nothing-here': {
    message: 'La porta {port} della sandbox non risponde.',
    remedy: 'Avvia il servizio, o controlla il suo log se dovrebbe essere in esecuzione.',
  },
  'preview.other-name': {
    message: 'A questo indirizzo le anteprime non funzionano: i browser bloccano nei frame i cookie di un altro sito.',
    remedy: 'Apri l’app su {address}. Lì le anteprime usano lo stesso dominio.',
  },
  'preview.port-reserved': {
    message: 'La porta {port} è riservata alla sandbox.',
    remedy: 'Usa un’altra porta.',
  },
  'preview.private': {
    message: 'Questa pagina è privata, e questo browser non è autorizzato ad aprirla.',
    remedy: 'Aprila di nuovo dal suo thread in threadbox.',
  },
  'preview.sockets-blocked': {
    message: 'I WebSocket tra questo browser e threadbox sono bloccati.',
    remedy: 'Configura il proxy perché inoltri i WebSocket per {wildcard} (header Upgrade e Connection, su HTTP/1.1).',
  },
  'preview.suspended': {
    message: 'La sandbox dietro questa pagina dorme. Le richieste in background di una pagina non la risvegliano.',
    remedy: 'Risvegliala in threadbox, o ricarica la pagina.',
  },
  'preview.waking': {
    message: 'La sandbox dietro questa pagina si sta risvegliando.',
    remedy: 'Riprova tra un momento.',
  },
}
