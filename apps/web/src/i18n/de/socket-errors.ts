import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about terminals and the sockets of a page. */
export const socketErrors: ErrorWords = {
  'stream.frame-invalid': {
    message: 'Eine Nachricht auf dem Socket der Ereignisströme ist ungültig: {problem}',
    remedy: 'Senden Sie JSON, wie es in der API-Dokumentation beschrieben ist. Offene Ströme laufen weiter.',
  },
  'stream.limit-reached': {
    message: 'Ein Socket kann bis zu {max} Ereignisströme tragen.',
    remedy: 'Schließen Sie zuerst einen Strom, oder öffnen Sie einen weiteren Socket.',
  },
  'stream.socket-only': {
    message: 'Diese Adresse nimmt nur WebSocket-Verbindungen an.',
    remedy: 'Öffnen Sie sie als WebSocket, oder lesen Sie `GET /api/v1/events` und `GET /api/v1/threads/{id}/events`.',
  },
  'terminal.frame-invalid': {
    message: 'Eine Nachricht auf dem Socket des Terminals ist ungültig: {problem}',
    remedy: 'Senden Sie JSON, wie es docs/terminals.md beschreibt.',
  },
  'terminal.limit-reached': {
    message: 'Ein Thread kann bis zu {max} Terminals haben.',
    remedy: 'Schließen Sie zuerst ein Terminal.',
  },
  'terminal.not-found': {
    message: 'Das Terminal wurde in diesem Thread nicht gefunden.',
    remedy: 'Vielleicht wurde es geschlossen. Öffnen Sie ein neues.',
  },
  'terminal.refused': {
    message: 'Die Sandbox hat die Anfrage abgelehnt: {problem}',
    remedy: 'Beheben Sie die Ursache, und versuchen Sie es noch einmal.',
  },
  'terminal.socket-only': {
    message: 'Diese Terminal-Adresse nimmt nur WebSocket-Verbindungen an.',
    remedy: 'Öffnen Sie sie als WebSocket, wie es docs/terminals.md beschreibt.',
  },
  'terminal.unanswered': {
    message: 'Die Sandbox hat auf eine Terminal-Anfrage nicht geantwortet.',
    remedy: 'Prüfen Sie ihren Zustand, und versuchen Sie es gleich noch einmal.',
  },
  'terminal.unsupported': {
    message: 'In dieser Sandbox läuft eine ältere Version ohne Terminals.',
    remedy: 'Starten Sie die Sandbox neu. Ihre Dateien bleiben.',
  },
}
