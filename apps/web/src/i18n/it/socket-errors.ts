import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about terminals and the sockets of a page. */
export const socketErrors: ErrorWords = {
  'stream.frame-invalid': {
    message: 'Un messaggio sul socket dei flussi di eventi non è valido: {problem}',
    remedy: 'Invia JSON come descritto nella documentazione dell’API. I flussi aperti continuano.',
  },
  'stream.limit-reached': {
    message: 'Un socket può portare fino a {max} flussi di eventi.',
    remedy: 'Prima chiudi un flusso, o apri un altro socket.',
  },
  'stream.socket-only': {
    message: 'Questo URL accetta solo connessioni WebSocket.',
    remedy: 'Aprilo come WebSocket, oppure leggi `GET /api/v1/events` e `GET /api/v1/threads/{id}/events`.',
  },
  'terminal.frame-invalid': {
    message: 'Un messaggio sul socket del terminale non è valido: {problem}',
    remedy: 'Invia JSON come descritto in docs/terminals.md.',
  },
  'terminal.limit-reached': {
    message: 'Un thread può avere fino a {max} terminali.',
    remedy: 'Prima chiudi un terminale.',
  },
  'terminal.not-found': {
    message: 'Terminale non trovato in questo thread.',
    remedy: 'Può essere stato chiuso. Aprine uno nuovo.',
  },
  'terminal.refused': {
    message: 'La sandbox ha rifiutato la richiesta: {problem}',
    remedy: 'Correggi la causa, poi riprova.',
  },
  'terminal.socket-only': {
    message: 'Questo URL di un terminale accetta solo connessioni WebSocket.',
    remedy: 'Aprilo come WebSocket, come descritto in docs/terminals.md.',
  },
  'terminal.unanswered': {
    message: 'La sandbox non ha risposto a una richiesta del terminale.',
    remedy: 'Controlla il suo stato, poi riprova tra un momento.',
  },
  'terminal.unsupported': {
    message: 'Questa sandbox ha una versione meno recente, senza terminali.',
    remedy: 'Riavvia la sandbox. I suoi file sono conservati.',
  },
}
