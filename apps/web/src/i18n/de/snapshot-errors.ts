import type { ErrorWords } from '../words.ts'

/** Errors of snapshots, and of what is made from them. */
export const snapshotErrors: ErrorWords = {
  'fork.turn-running': {
    message: 'Abzweigen geht nicht, während der Agent antwortet.',
    remedy: 'Warten Sie, bis er fertig ist, stoppen Sie ihn, oder zweigen Sie von einer früheren Antwort ab.',
  },
  'fork.turn-not-found': {
    message: 'Die Antwort wurde in diesem Thread nicht gefunden.',
    remedy: 'Nehmen Sie die Kennung einer beendeten Antwort.',
  },
  'fork.snapshot-gone': {
    message: 'Abzweigen geht nicht: Der Stand der Festplatte nach dieser Antwort ist nicht mehr aufbewahrt.',
    remedy: 'Zweigen Sie von einer anderen Antwort oder vom jetzigen Stand ab.',
  },
  'rewind.turn-running': {
    message: 'Zurückspulen geht nicht, während der Agent antwortet.',
    remedy: 'Warten Sie, bis er fertig ist, oder stoppen Sie ihn.',
  },
  'rewind.message-not-found': {
    message: 'Die Nachricht wurde nicht gefunden, oder sie hat keine Antwort.',
    remedy: 'Nehmen Sie die Kennung einer Nachricht, die im Gespräch steht.',
  },
  'rewind.snapshot-gone': {
    message: 'Zurückspulen geht nicht: Der Stand der Festplatte vor dieser Nachricht ist nicht mehr aufbewahrt.',
    remedy: 'Spulen Sie bis vor eine andere Nachricht zurück.',
  },
  'rewind.under-way': {
    message: 'Dieser Thread wird gerade zurückgespult.',
    remedy: 'Versuchen Sie es gleich noch einmal. Passiert es wieder, prüfen Sie, ob der Host-Dienst läuft.',
  },
  'rewind.not-undoable': {
    message:
      'Das Zurückspulen lässt sich nicht rückgängig machen: Das Gespräch ging weiter, der frühere Stand ist nicht mehr aufbewahrt, oder es war in einem anderen Thread.',
    remedy: 'Machen Sie von hier aus weiter.',
  },
  'rewind.target-gone': {
    message: 'Die Sandbox hat keinen Schnappschuss {snapshotId}.',
    remedy: 'Spulen Sie auf einen anderen Zeitpunkt zurück.',
  },
  'snapshot.not-found': {
    message: 'Der Schnappschuss wurde in diesem Thread nicht gefunden. Vielleicht wurde er gelöscht.',
    remedy: 'Sehen Sie in der Liste der Schnappschüsse nach, welche es gibt.',
  },
  'snapshot.not-kept': {
    message: 'Vom Ende dieser Antwort ist kein Schnappschuss aufbewahrt.',
    remedy: 'Wählen Sie eine andere Antwort. Ein Thread ohne Dateien in einer Sandbox hat keine Schnappschüsse.',
  },
  'snapshot.pin-limit-reached': {
    message: 'Sie können bis zu {max} Momente eines Threads behalten.',
    remedy: 'Behalten Sie erst einen anderen Moment dieses Threads nicht mehr.',
  },
  'snapshot.pins-too-large': {
    message: 'Die behaltenen Momente belegen die Hälfte des Platzes für Schnappschüsse aller Threads.',
    remedy:
      'Behalten Sie erst einen anderen Moment nicht mehr, oder erhöhen Sie snapshotMebibytes und memorySnapshotMebibytes in den Einstellungen.',
  },
}
