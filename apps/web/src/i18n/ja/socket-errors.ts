import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about terminals and the sockets of a page. */
export const socketErrors: ErrorWords = {
  'stream.frame-invalid': {
    message: 'イベントストリームのソケットのメッセージが無効です：{problem}',
    remedy: 'API のドキュメントのとおりに JSON を送ってください。開いているストリームは続きます。',
  },
  'stream.limit-reached': {
    message: '1 つのソケットで扱えるイベントストリームは {max} 個までです。',
    remedy: '先にストリームを 1 つ閉じるか、別のソケットを開いてください。',
  },
  'stream.socket-only': {
    message: 'この URL は WebSocket 接続だけを受け付けます。',
    remedy:
      'WebSocket として開くか、代わりに `GET /api/v1/events` と `GET /api/v1/threads/{id}/events` を読んでください。',
  },
  'terminal.frame-invalid': {
    message: 'ターミナルのソケットのメッセージが無効です：{problem}',
    remedy: 'docs/terminals.md のとおりに JSON を送ってください。',
  },
  'terminal.limit-reached': {
    message: 'スレッドのターミナルは {max} 個までです。',
    remedy: '先にターミナルを 1 つ閉じてください。',
  },
  'terminal.not-found': {
    message: 'ターミナルがこのスレッドに見つかりません。',
    remedy: '閉じられた可能性があります。新しいターミナルを開いてください。',
  },
  'terminal.refused': {
    message: 'サンドボックスがリクエストを拒否しました：{problem}',
    remedy: '原因を取り除いてから、もう一度お試しください。',
  },
  'terminal.socket-only': {
    message: 'このターミナルの URL は WebSocket 接続だけを受け付けます。',
    remedy: 'docs/terminals.md のとおりに、WebSocket として開いてください。',
  },
  'terminal.unanswered': {
    message: 'サンドボックスがターミナルのリクエストに応答しませんでした。',
    remedy: '状態を確認し、少し待ってからもう一度お試しください。',
  },
  'terminal.unsupported': {
    message: 'このサンドボックスは、ターミナルのない古いバージョンで動いています。',
    remedy: 'サンドボックスを再起動してください。ファイルは残ります。',
  },
}
