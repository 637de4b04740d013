import type { ErrorWords } from '../words.ts'

/** Errors of backups and their stores, by code. */
export const backupErrors: ErrorWords = {
  'store.not-a-folder': {
    message: '{place} はフォルダーではありません。',
    remedy: '別のディスクなどにある既存のフォルダー、またはバケットのアドレス (s3+https://…) を指定してください。',
  },
  'store.read-only': {
    message: 'threadbox は {place} に書き込めません: {reason}',
    remedy: 'サーバーのユーザーに書き込み権限を与えるか、別の場所を選んでください。',
  },
  'store.of-other-program': {
    message: '{place} は空ではなく、その内容は threadbox のものではありません。',
    remedy: '空のフォルダーまたはバケットの空のプレフィックスを選んでください。何も変更されていません。',
  },
  'store.format-newer': {
    message: '{place} は新しいバージョンの threadbox で書き込まれました。',
    remedy: 'threadbox をアップグレードするか、別の場所を選んでください。何も変更されていません。',
  },
  'store.inside-installation': {
    message: '{place} はインストールの中にあるため、インストールと一緒に失われます。',
    remedy: '別のディスクのフォルダーかバケットを選んでください。',
  },
  'store.address-invalid': {
    message: '{place} は保存先のアドレスではありません。',
    remedy: '/mnt/backup のような完全なパス、または s3+https://HOST/BUCKET/PREFIX?region=REGION を使ってください。',
  },
  'store.unreachable': {
    message: '{place} が応答しません: {reason}',
    remedy: 'アドレスとネットワークを確認し、コマンドをもう一度実行してください。何も失われていません。',
  },
  'store.refused': {
    message: '{place} が要求を拒否しました: {reason}',
    remedy: 'アクセスキーとその権限を確認してください: このプレフィックス以下の読み取り、書き込み、一覧、削除。',
  },
  'store.name-invalid': {
    message: '{name} は有効なオブジェクト名ではありません。',
    remedy: 'threadbox の不具合です。リクエスト ID を添えて報告してください。',
  },
  'backup.recovery-key-invalid': {
    message: 'これは復旧キーではないか、一部が欠けているか、入力が間違っています。',
    remedy: 'バックアップの設定時に表示されたテキスト全体を使ってください。threadbox-recovery-1 で始まります。',
  },
  'backup.recovery-key-other': {
    message: '{place} のバックアップは別の復旧キーで作成されました。',
    remedy: 'バックアップを書き込んだインストールの復旧キーを使ってください。キーがなければ読み取れません。',
  },
  'backup.settings-damaged': {
    message: 'バックアップの保存先を読み取れないため、バックアップは作成されません：{file}（{reason}）',
    remedy:
      'このファイルをコピーから復元してください。コピーがなければ、ファイルを削除し、新しい保存先で ./threadbox backup init を実行してください。',
  },
  'backup.status-damaged': {
    message: '以前のバックアップの記録を読み取れません：{reason}',
    remedy: 'バックアップを実行してください。新しい記録が始まります。保存先のバックアップは変わっていません。',
  },
  'backup.already-running': {
    message: 'バックアップはすでに実行中です。',
    remedy: '終わるまで待ってください。進行状況はマシンのページに表示されます。',
  },
  'backup.program-ended': {
    message: 'バックアッププログラムが途中で終了しました：{reason}',
    remedy: 'サーバーのログを確認してから、バックアップを実行してください。以前のバックアップは変わっていません。',
  },
  'backup.failed': {
    message: 'バックアップに失敗しました：{reason}',
    remedy: './threadbox doctor を実行してから、バックアップを実行してください。以前のバックアップは変わっていません。',
  },
  'backup.found-damaged': {
    message: '{total} 個のバックアップのうち {damaged} 個が破損しています。',
    remedy:
      'バックアップを実行してください。足りないものが保存されます。破損箇所は ./threadbox backup verify で確認できます。',
  },
  'backup.not-set-up': {
    message: 'バックアップは設定されていません。',
    remedy: './threadbox backup init STORE を実行してください。',
  },
  'backup.already-set-up': {
    message: 'バックアップはすでに {place} に保存されています。',
    remedy: '別のキーで最初から始めるには、先にサーバーのフォルダーの backup.json を削除してください。',
  },
  'backup.not-confirmed': {
    message: '復旧キーが確認されていないため、読み取れない可能性のあるバックアップは作成されません。',
    remedy: 'backup init が表示したキーの最後の 8 文字を指定して ./threadbox backup confirm を実行してください。',
  },
  'backup.running': {
    message: '{holder} がこの保存先を使用中です (遅くとも {until} まで)。',
    remedy: '終わるまで待ってください。中断された処理はその時刻に引き継がれます。',
  },
  'backup.lease-lost': {
    message: '別の処理が保存先を引き継いだため、この処理はバックアップを作成せずに終了しました。',
    remedy: '以前のバックアップは変わっていません。もう一方の処理の後に再度実行してください。',
  },
  'backup.not-found': {
    message: '{place} にバックアップ {name} はありません。',
    remedy: './threadbox backup list でバックアップを一覧表示してください。',
  },
  'backup.damaged': {
    message: 'バックアップ {name} は破損しています: {reason}',
    remedy: '別のバックアップを復元してください。./threadbox backup verify で無事なものがわかります。',
  },
  'backup.database-tool-failed': {
    message: '{tool} が失敗しました: {reason}',
    remedy:
      'サーバーと同じかそれ以降のバージョンの Postgres クライアントをインストールし、コマンドをもう一度実行してください。',
  },
  'backup.restore-over-data': {
    message: 'このインストールは使用中です: アカウントがあります。',
    remedy: 'まだアカウントのない新しいインストールに復元してください。',
  },
  'backup.of-newer-release': {
    message:
      'このバックアップは新しいリリース ({version}) で書き込まれ、このリリースが知らないテーブルを含みます: {migrations}',
    remedy: '書き込んだリリースまたはそれ以降のリリースで復元してください。',
  },
  'backup.other-database': {
    message: 'バックアップのデータベースの種類は {kind} ですが、このインストールは {wanted} を使用しています。',
    remedy:
      'バックアップが Postgres のものなら threadbox.env に DATABASE_URL を設定し、そうでなければ削除して、コマンドをもう一度実行してください。',
  },
  'backup.database-lost': {
    message: 'このバックアップからデータベースを復元できません: {reason}',
    remedy: '以前のバックアップを復元してください。何も変更されていません。',
  },
}
