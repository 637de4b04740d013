import type { ErrorWords } from '../errors.ts'

/** Sentences for the errors of the server, by code. `{name}` is a detail of the error. */
export const errors: ErrorWords = {
  'server.unreachable': {
    message: 'Der Server hat nicht geantwortet.',
    remedy: 'Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  },
  'server.answer-unknown': {
    message: 'Der Server hat mit Status {status} und ohne Erklärung geantwortet.',
    remedy: 'Vielleicht hat etwas dazwischen an seiner Stelle geantwortet. Versuchen Sie es noch einmal.',
  },
  'internal.unexpected': {
    message: 'Etwas ist fehlgeschlagen, das nicht hätte fehlschlagen dürfen.',
    remedy: 'Versuchen Sie es noch einmal. Geschieht es wieder, steht in `threadbox logs` mehr.',
  },
}
