import type { ErrorWords } from '../words.ts'

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
  'rewind.turn-running': {
    message: 'Der Thread wurde nicht zurückgespult: In ihm entsteht gerade eine Antwort.',
    remedy: 'Warten Sie, bis sie fertig ist, oder stoppen Sie sie.',
  },
  'rewind.message-not-found': {
    message: 'Dieser Thread hat keine solche Nachricht, die beantwortet wurde.',
    remedy: 'Nehmen Sie die Kennung einer Nachricht, die im Gespräch steht.',
  },
  'rewind.snapshot-gone': {
    message:
      'Der Thread wurde nicht zurückgespult: Was seine Festplatte vor dieser Nachricht enthielt, ist nicht aufbewahrt.',
    remedy: 'Spulen Sie bis vor eine andere Nachricht zurück.',
  },
  'rewind.under-way': {
    message: 'Dieser Thread wird gerade zurückgespult.',
    remedy: 'Versuchen Sie es gleich noch einmal. Bleibt es so, sehen Sie nach, ob der Host-Daemon läuft.',
  },
  'rewind.not-undoable': {
    message:
      'Das Zurückspulen lässt sich nicht rückgängig machen: Das Gespräch ging weiter, was rückgängig gemacht wurde, ist nicht mehr aufbewahrt, oder es war in einem anderen Thread.',
    remedy: 'Machen Sie von hier aus weiter.',
  },
  'rewind.target-gone': {
    message: 'Die Sandbox hat keinen solchen Schnappschuss, auf den sie zurückgehen könnte.',
    remedy: 'Gehen Sie auf einen anderen Zeitpunkt zurück.',
  },
  'snapshot.not-found': {
    message: 'Dieser Thread hat keinen solchen Schnappschuss, oder nicht mehr.',
    remedy: 'Sehen Sie in der Liste der Schnappschüsse nach, welche es gibt.',
  },
}
