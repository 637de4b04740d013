import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about terminals and the sockets of a page. */
export const socketErrors: ErrorWords = {
  'stream.frame-invalid': {
    message: 'Eine Nachricht über den Socket der Ereignisströme ist nicht zu gebrauchen: {problem}',
    remedy: 'Senden Sie JSON, wie es in der API-Dokumentation beschrieben ist. Offene Ströme laufen weiter.',
  },
  'stream.limit-reached': {
    message: 'Ein Socket kann höchstens {max} Ereignisströme tragen.',
    remedy: 'Schließen Sie einen davon, oder öffnen Sie einen weiteren Socket.',
  },
  'stream.socket-only': {
    message: 'Diese Adresse ist für WebSocket-Verbindungen.',
    remedy: 'Öffnen Sie sie als WebSocket, oder lesen Sie `GET /api/v1/events` und `GET /api/v1/threads/{id}/events`.',
  },
  'terminal.frame-invalid': {
    message: 'Eine Nachricht über den Socket eines Terminals ist nicht zu gebrauchen: {problem}',
    remedy: 'Senden Sie JSON, wie es in der Dokumentation bei den Terminals beschrieben ist.',
  },
  'terminal.limit-reached': {
    message: 'Der Thread hat schon {max} Terminals, mehr dürfen es nicht sein.',
    remedy: 'Schließen Sie zuerst eines davon.',
  },
  'terminal.not-found': {
    message: 'Dieses Terminal gibt es in diesem Thread nicht.',
    remedy: 'Vielleicht wurde es geschlossen. Öffnen Sie ein neues.',
  },
  'terminal.refused': {
    message: 'Die Sandbox hat abgelehnt: {problem}',
    remedy: 'Ändern Sie, was sie nennt, und versuchen Sie es noch einmal.',
  },
  'terminal.socket-only': {
    message: 'Diese Adresse eines Terminals ist für WebSocket-Verbindungen.',
    remedy: 'Öffnen Sie sie als WebSocket: Was darüber geht, steht in der Dokumentation bei den Terminals.',
  },
  'terminal.unanswered': {
    message: 'Die Sandbox hat nicht geantwortet, als es um ihr Terminal ging.',
    remedy: 'Sehen Sie nach ihrem Status, und versuchen Sie es gleich noch einmal.',
  },
  'terminal.unsupported': {
    message: 'Diese Sandbox wurde von einer früheren Version gestartet, die keine Terminals hat.',
    remedy: 'Starten Sie die Sandbox neu: Ihre Dateien bleiben.',
  },
}
