import type { ErrorWords } from '../errors.ts'

/** Errors of snapshots, and of what is made from them. */
export const snapshotErrors: ErrorWords = {
  'fork.turn-running': {
    message: 'Der Thread wurde nicht abgezweigt: In ihm entsteht gerade eine Antwort.',
    remedy: 'Warten Sie, bis sie fertig ist, oder stoppen Sie sie; oder zweigen Sie von einer früheren Antwort ab.',
  },
  'fork.turn-not-found': {
    message: 'Dieser Thread hat keine solche Antwort.',
    remedy: 'Nehmen Sie die Kennung einer Antwort, die zu Ende ist.',
  },
  'fork.snapshot-gone': {
    message:
      'Der Thread wurde nicht abgezweigt: Was seine Festplatte nach dieser Antwort enthielt, ist nicht aufbewahrt.',
    remedy: 'Zweigen Sie von einer anderen Antwort ab, oder vom jetzigen Stand.',
  },
  'snapshot.not-found': {
    message: 'Dieser Thread hat keinen solchen Schnappschuss, oder nicht mehr.',
    remedy: 'Sehen Sie in der Liste der Schnappschüsse nach, welche es gibt.',
  },
}
