import type { ErrorWords } from '../words.ts'

/** Sentences for what can be wrong with the connections of the agent and their servers. */
export const connectionErrors: ErrorWords = {
  'call.not-awaiting': {
    message: 'この呼び出しは承認を待っていません。すでに決定されたか、応答が停止されました。',
    remedy: '会話を再読み込みしてください。',
  },
  'git-credential.address-invalid': {
    message: 'このサーバーは Git 認証情報に使えません：{problem}',
    remedy: 'github.com のようなサーバー名か、パスを除いた HTTPS の URL を入力してください。',
  },
  'git-credential.address-refused': {
    message:
      '{host} はプライベートネットワークにあります。プライベートネットワークの Git 認証情報は許可されていません。',
    remedy: '管理者が THREADBOX_CONNECTIONS_ALLOW で許可できます。',
  },
  'git-credential.limit': {
    message: 'Git 認証情報は {limit} 個までです。',
    remedy: '使わないものを削除してください。',
  },
  'git-credential.not-found': {
    message: 'Git 認証情報が見つかりません。',
    remedy: 'Git 認証情報の一覧から選んでください。',
  },
  'connection.address-invalid': {
    message: 'この URL は接続に使えません：{problem}',
    remedy: 'ユーザー名とパスワードを除いた、MCP サーバーの HTTPS の URL を入力してください。',
  },
  'connection.address-refused': {
    message: '{host} はプライベートネットワークにあります。プライベートネットワークへの接続は許可されていません。',
    remedy: '管理者が THREADBOX_CONNECTIONS_ALLOW で許可できます。',
  },
  'connection.answer-invalid': {
    message: 'MCP サーバーが無効な応答を送りました：{problem}',
    remedy: 'URL を確認してください。正しい場合、問題は MCP サーバーにあります。',
  },
  'connection.answer-too-large': {
    message: 'MCP サーバーの応答が {mebibytes} MiB を超えたため、途中で切られました。',
    remedy: '一度に要求するデータを減らしてください：1 ページ、狭い範囲、少ない項目。',
  },
  'connection.approval-missing': {
    message: '{tool} には承認が必要ですが、この応答は無人で行われています。',
    remedy: 'エージェントは別の方法をとります。設定 → 接続で、このツールを常に許可できます。',
  },
  'connection.call-denied': {
    message: '{tool} の呼び出しは拒否され、実行されませんでした。',
    remedy: 'エージェントは別の方法をとるか、どうしたいかを尋ねます。',
  },
  'connection.has-no-login': {
    message: 'この接続は OAuth を使いません。',
    remedy: '先に、認証を「OAuth でサインイン」に設定してください。',
  },
  'connection.login-failed': {
    message: 'MCP サーバーにサインインできませんでした：{problem}',
    remedy: '設定 → 接続で、もう一度サインインしてください。',
  },
  'connection.login-needed': {
    message: 'MCP サーバーへのサインインが必要です。',
    remedy: '設定 → 接続で、この接続の「サインイン」を選んでください。',
  },
  'connection.http-failed': {
    message: 'MCP サーバーが HTTP ステータス {status} で応答しました。',
    remedy: 'URL が Streamable HTTP の MCP サーバーかどうかを確認してから、接続をテストしてください。',
  },
  'connection.kind-other': {
    message: 'この種類の接続に {field} はありません。',
    remedy: '必要な種類の接続を新しく作成してください。',
  },
  'connection.limit': {
    message: 'ここに置ける接続は {limit} 個までです。',
    remedy: '使わない接続を削除してください。',
  },
  'connection.name-taken': {
    message: '{name} という名前では、ツールの接頭辞が既存の接続と同じになります。',
    remedy: '別の名前を選んでください。',
  },
  'connection.not-found': {
    message: '接続が見つかりません。',
    remedy: '接続の一覧から選んでください。',
  },
  'connection.program-busy': {
    message: 'MCP プログラムはすでに上限の {limit} 個の会話で動いています。',
    remedy: 'そのうちの呼び出しが終わってから、もう一度お試しください。',
  },
  'connection.program-ended': {
    message: 'MCP プログラムが終了しました（{how}）。最後の出力：{lastWords}',
    remedy:
      '引数と変数を確認してから、接続をテストしてください。中断された呼び出しは、一部が実行された可能性があります。',
  },
  'connection.program-limit': {
    message: 'プログラムを動かす接続は {limit} 個までです。',
    remedy: 'いずれかを削除するか、THREADBOX_CONNECTION_PROGRAMS を上げるように管理者に依頼してください。',
  },
  'connection.program-not-started': {
    message: '接続のサンドボックスで {command} を起動できませんでした：{problem}',
    remedy:
      'コマンドを確認してください。npx、uvx、node、python3 を使えます。npx と uvx は、指定されたものをインストールします。',
  },
  'connection.program-restarts': {
    message: 'MCP プログラムが {minutes} 分間に {failures} 回失敗したため、再起動していません。',
    remedy: '設定 → 接続で接続をテストすると、問題が分かり、もう一度起動します。',
  },
  'connection.request-refused': {
    message: 'MCP サーバーがリクエストを拒否しました：{problem}',
    remedy: 'それに合わせてリクエストを変更するか、別の方法をとってください。',
  },
  'connection.secret-missing': {
    message: '保存されているシークレットは、別のプログラムのものです。',
    remedy: 'すべての変数を値とともに入力してください。',
  },
  'connection.timed-out': {
    message: 'MCP サーバーが {seconds} 秒以内に完全な応答を送りませんでした。',
    remedy:
      '後でもう一度試すか、要求するデータを減らしてください。呼び出しの一部が、サーバーで実行された可能性があります。',
  },
  'connection.tool-gone': {
    message: '{tool} はもう使えません。サーバーが提供しなくなったか、接続が削除されたか、オフになっています。',
    remedy: '設定 → 接続で接続を確認してください。',
  },
  'connection.tool-not-found': {
    message: 'この接続に {tool} というツールはありません。',
    remedy: 'ツールを再読み込みしてください。サーバーが変更した可能性があります。',
  },
  'connection.tool-off': {
    message: 'ツール {tool} は、この接続ではオフになっています。',
    remedy: '設定 → 接続でオンにできます。',
  },
  'connection.unauthorized': {
    message: 'MCP サーバーがトークンを拒否しました（HTTP ステータス {status}）。',
    remedy: '設定 → 接続で新しいトークンを入力し、トークンの権限を確認してください。',
  },
  'connection.unreachable': {
    message: 'MCP サーバーに到達できませんでした：{problem}',
    remedy: 'URL と、サーバーが動いていることを確認してから、接続をテストしてください。',
  },
}
