import type { ErrorWords } from '../words.ts'

/** Errors of snapshots, and of what is made from them. */
export const snapshotErrors: ErrorWords = {
  'fork.turn-running': {
    message: 'エージェントの応答中はフォークできません。',
    remedy: '終わるまで待つか、停止するか、以前の応答からフォークしてください。',
  },
  'fork.turn-not-found': {
    message: '応答がこのスレッドに見つかりません。',
    remedy: '完了した応答の ID を使ってください。',
  },
  'fork.snapshot-gone': {
    message: 'フォークできません。その応答の後のディスクの状態は、もう残っていません。',
    remedy: '別の応答、または現在の状態からフォークしてください。',
  },
  'rewind.turn-running': {
    message: 'エージェントの応答中は巻き戻せません。',
    remedy: '終わるまで待つか、停止してください。',
  },
  'rewind.message-not-found': {
    message: 'メッセージが見つからないか、応答がありません。',
    remedy: '会話にあるメッセージの ID を使ってください。',
  },
  'rewind.snapshot-gone': {
    message: '巻き戻せません。そのメッセージの前のディスクの状態は、もう残っていません。',
    remedy: '別のメッセージの前まで巻き戻してください。',
  },
  'rewind.under-way': {
    message: 'このスレッドは巻き戻しの途中です。',
    remedy: '少し待ってからもう一度お試しください。続く場合は、ホストデーモンが動いていることを確認してください。',
  },
  'rewind.not-undoable': {
    message:
      '巻き戻しを元に戻せません。会話が先に進んだか、巻き戻す前の状態がもう残っていないか、別のスレッドでの巻き戻しです。',
    remedy: 'ここから続けてください。',
  },
  'rewind.target-gone': {
    message: 'サンドボックスにスナップショット {snapshotId} はありません。',
    remedy: '別の時点まで巻き戻してください。',
  },
  'snapshot.not-found': {
    message: 'スナップショットがこのスレッドに見つかりません。削除された可能性があります。',
    remedy: 'スレッドのスナップショットの一覧を確認してください。',
  },
  'snapshot.not-kept': {
    message: 'この応答が終わった時点のスナップショットは残っていません。',
    remedy: '別の応答を選んでください。サンドボックスにファイルがないスレッドには、スナップショットがありません。',
  },
  'snapshot.pin-limit-reached': {
    message: '1 つのスレッドに残せる時点は {max} 個までです。',
    remedy: '先に、このスレッドで残している別の時点を外してください。',
  },
  'snapshot.pins-too-large': {
    message: '残している時点が、全スレッドのスナップショット用の容量の半分を使っています。',
    remedy:
      '先に、残している別の時点を外すか、設定で snapshotMebibytes と memorySnapshotMebibytes を増やしてください。',
  },
}
