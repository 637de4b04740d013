import type { ErrorWords } from '../words.ts'

/** Errors of previews, by code. */
export const previewErrors: ErrorWords = {
  'preview.asleep': {
    message: 'このページのサンドボックスは休止中で、このリンクからは復帰させられません。',
    remedy: '共有した人に復帰を依頼してください。復帰すると、ページは自動的に開きます。',
  },
  'preview.broken-off': {
    message: 'ポート {port} のサービスはリクエストを受け付けましたが、応答を送りませんでした：{reason}',
    remedy: 'サービスのログを確認してから、もう一度お試しください。',
  },
  'preview.cookies-blocked': {
    message:
      'このブラウザーはフレーム内の Cookie をブロックしています。プレビューを非公開に保つには Cookie が必要です。',
    remedy: 'ブラウザーで {wildcard} の Cookie を許可するか、プレビューを別のタブで開いてください。',
  },
  'preview.foreign-request': {
    message: 'このリクエストは別のオリジンから送られました。',
    remedy: '同じスレッドのページから送ってください。',
  },
  'preview.malformed-request': {
    message:
      'リクエストがあいまいです。Host ヘッダーはちょうど 1 つ、パスは / で始まり、Content-Length と Transfer-Encoding: chunked はどちらか一方までにする必要があります。',
    remedy: 'リクエストを送るプログラムを修正してください。',
  },
  'preview.names-elsewhere': {
    message: 'このブラウザーはアプリには到達できますが、{name} に到達できません。',
    remedy:
      '{wildcard} をアプリのドメインと同じサーバーに向け、プロキシがある場合は、これらの名前を Host ヘッダーとともに転送するように設定してください。',
  },
  'preview.names-local': {
    message: 'localhost の下の名前はこのコンピューターを指しますが、このブラウザーは {name} を解決できません。',
    remedy:
      'このような名前を解決できるブラウザー（Chrome、Edge、Firefox）を使うか、`threadbox up --domain` でドメインを設定してください。',
  },
  'preview.names-missing': {
    message: 'プレビューは {wildcard} を使いますが、これらの名前を解決できません。',
    remedy: 'アプリのドメインと同じサーバーを指す、{wildcard} の DNS レコードを追加してください。',
  },
  'preview.names-untrusted': {
    message: 'このブラウザーはアプリには到達できますが、https://{name} に到達できません。',
    remedy:
      'TLS を終端するプロキシに {wildcard} の証明書を設定し、これらの名前を Host ヘッダーとともに転送するようにしてください。',
  },
  'preview.no-name': {
    message:
      'プレビューにはドメインが必要です。この threadbox には localhost の下の名前しかなく、その名前は手元のコンピューターを指します。',
    remedy:
      'サーバーに対して `ssh -L {port}:127.0.0.1:{port}` を実行し、`threadbox status` が表示するアドレスを開くか、`threadbox up --domain` でドメインを設定してください。',
  },
  'preview.nothing-here': {
    message: 'サンドボックスのポート {port} が応答していません。',
    remedy: 'サービスを起動してください。動いているはずの場合は、ログを確認してください。',
  },
  'preview.other-name': {
    message: 'このアドレスではプレビューを使えません。ブラウザーは、フレーム内で別のサイトの Cookie をブロックします。',
    remedy: 'アプリを {address} で開いてください。そこでは、プレビューが同じドメインを使います。',
  },
  'preview.port-reserved': {
    message: 'ポート {port} はサンドボックスが予約しています。',
    remedy: '別のポートを使ってください。',
  },
  'preview.private': {
    message: 'このページは非公開で、このブラウザーには開く権限がありません。',
    remedy: 'threadbox のスレッドからもう一度開いてください。',
  },
  'preview.sockets-blocked': {
    message: 'このブラウザーと threadbox の間で WebSocket がブロックされています。',
    remedy:
      '{wildcard} の WebSocket を転送するようにプロキシを設定してください（Upgrade と Connection ヘッダー、HTTP/1.1）。',
  },
  'preview.suspended': {
    message: 'このページのサンドボックスは休止中です。ページのバックグラウンドのリクエストでは復帰しません。',
    remedy: 'threadbox で復帰させるか、ページを再読み込みしてください。',
  },
  'preview.waking': {
    message: 'このページのサンドボックスが復帰しています。',
    remedy: '少し待ってからもう一度お試しください。',
  },
}
