import type { connection as source } from '../en/connection.ts'
import type { Texts } from '../texts.ts'

export const connection: Texts<typeof source> = {
  noAnswer: 'サーバーが応答していません。再起動中の可能性があります。',
  offline: 'オフラインです。',
  lastContact: '最後の応答：{{when}}。',
  kept: '下書きは残っています。',
  retryIn_other: '{{count}} 秒後に再試行します。',
  trying: '再試行しています…',
  retry: '今すぐ再試行',
  error: {
    title: 'このページで問題が起きました',
    text: 'アプリのほかの部分と、サーバー上のデータに影響はありません。',
    reload: 'ページを再読み込み',
    home: 'ホームへ',
    details: '詳細',
    copy: '詳細をコピー',
  },
  notFound: {
    title: 'ページが見つかりません',
    text: 'スレッドが削除されたか、リンクが途中で切れている可能性があります。',
    home: 'ホームへ',
  },
  toast: {
    unexpected: '問題が発生しました。',
    unexpectedRemedy: 'ページを再読み込みしてください。繰り返し起こる場合は `threadbox logs` を確認してください。',
  },
  copy: 'コピー',
  retryLoad: '再試行',
}
