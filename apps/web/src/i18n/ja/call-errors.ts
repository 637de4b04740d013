import type { ErrorWords } from '../words.ts'

/** Errors of commands, cells, files, pages and services: those that the cards of calls show. */
export const callErrors: ErrorWords = {
  'call.input-invalid': {
    message: 'ツールの呼び出しが無効です：{problem}',
    remedy: '利用できるツールを、入力スキーマに合った入力で呼び出してください。',
  },
  'call.interrupted': {
    message: '実行中に threadbox またはサンドボックスが停止しました。どこまで進んだかは不明です。',
    remedy: '再実行する前に、何が変更されたかを確認してください。',
  },
  'call.stopped': {
    message: 'この呼び出しは停止されました。一部が実行された可能性があります。',
    remedy: '再実行は、求められた場合だけにしてください。',
  },
  'command.out-of-memory': {
    message: '呼び出しがサンドボックスのメモリの上限を超えたため、強制終了されました。{detail}',
    remedy: '一度に処理するデータを減らすか、サンドボックスのメモリの上限を上げてから、再実行してください。',
  },
  'command.out-of-processes': {
    message: '呼び出しがサンドボックスのプロセス数の上限を超えたため、強制終了されました。{detail}',
    remedy: '一度に起動するプロセスを減らすか、サンドボックスのプロセス数の上限を上げてから、再実行してください。',
  },
  'command.signalled': {
    message: 'コマンドがシグナル {signal} で終了しました。このシグナルを送ったのは threadbox ではありません。',
    remedy: '別のコマンド、プログラム自身、サンドボックスの制限のうち、どれがシグナルを送ったのかを調べてください。',
  },
  'command.timed-out': {
    message: '呼び出しが時間制限の {seconds} 秒を超えたため、停止されました。',
    remedy: '時間制限を長くするか、バックグラウンドで実行して後で確認してください。',
  },
  'context.language-unsupported': {
    message: 'このサンドボックスに「{language}」のカーネルはありません。',
    remedy: 'python を使うか、プログラムをコマンドとして実行してください。',
  },
  'context.request-invalid': { message: 'リクエストが無効です：{problem}', remedy: 'リクエストを修正してください。' },
  'context.unknown': {
    message: 'コードコンテキスト「{id}」が見つかりません。',
    remedy: '新しく作成するか、コンテキストを省略してスレッドのカーネルを使ってください。',
  },
  'edit.changes-nothing': {
    message: 'old_text と new_text が同じです。',
    remedy: 'ファイルをそのままにするか、別の new_text を指定してください。',
  },
  'edit.text-not-found': {
    message: 'old_text が {path} に見つかりません。{hint}',
    remedy: 'ファイルのその部分を読み、空白と改行も含めて正確にコピーしてください。',
  },
  'edit.text-not-unique': {
    message: 'old_text が {path} に {count} 回現れます（{lines} 行目）。',
    remedy: '前後の行を増やして 1 か所に特定できるようにするか、replace_all を設定してください。',
  },
  'file.disk-full': {
    message: 'サンドボックスのディスクに、{path} のための空きが足りません。',
    remedy: 'サンドボックスのファイルを削除するか、ディスクの上限を上げてください。',
  },
  'file.forbidden': {
    message: 'アクセス権限がありません：{path}',
    remedy: '別のパスを使うか、権限を変更するか、root として実行してください。',
  },
  'file.is-binary': {
    message: '{path}（{sizeBytes:size}）は UTF-8 のテキストではありません。',
    remedy:
      '画像には view_image、データ形式には run_python を使うか、run_command で `file` や `xxd` を使ってください。',
  },
  'file.missing': {
    message: '{path} は存在しません。',
    remedy: 'パスを確認するか、親フォルダーの一覧を確認してください。',
  },
  'file.path-invalid': {
    message: '{path} を使えません：{problem}。',
    remedy: '通常のファイルまたはフォルダーのパスを使ってください。',
  },
  'file.path-is-directory': {
    message: '{path} はフォルダーのため、使えません。',
    remedy: '通常のファイルのパスを使ってください。',
  },
  'file.range-invalid': {
    message: '範囲が {path} の外にあります。',
    remedy: 'ファイルのサイズに収まる範囲を要求してください。',
  },
  'file.server-down': {
    message: 'ユーザー「{user}」のファイルサーバーが停止しました。',
    remedy: 'もう一度お試しください。ファイルサーバーは自動的に再起動します。',
  },
  'file.signature-expired': { message: '署名の有効期限が切れています。', remedy: '新しいアドレスを要求してください。' },
  'file.too-large': {
    message: '{path} は、このツールの上限の {limitBytes:size} を超えています。',
    remedy: '代わりにコマンドか Python を使ってください。',
  },
  'file.unavailable': {
    message: '{path} を使えません：{problem}',
    remedy: '種類と権限を `ls -l` で確認してください。必要な場合は、run_command で sudo を使ってください。',
  },
  'file.upload-invalid': {
    message: 'アップロードを読み取れません：{problem}。',
    remedy:
      'バイト列を application/octet-stream として、または multipart/form-data の「file」フィールドで送ってください。',
  },
  'file.watcher-unknown': { message: 'ウォッチャー {id} が見つかりません。', remedy: '新しく作成してください。' },
  'guest.response-too-large': {
    message: 'サンドボックスが一度に {limitMebibytes} MiB を超える応答を返しました。',
    remedy: '一度に要求する量を減らすか、ファイルに書き出して読み取ってください。サンドボックスは動作し続けています。',
  },
  'image.not-shown': {
    message: '{path} を表示できません：{problem}',
    remedy: '4 MiB 以下の PNG または JPEG ファイルに変換し（たとえば Pillow で）、そのファイルを表示してください。',
  },
  'kernel.died': {
    message: 'セルの実行中に Python カーネルが終了しました（{how}）。変数は失われました。',
    remedy: '必要なセルをもう一度実行してください。新しいカーネルが自動的に起動します。',
  },
  'kernel.not-answering': {
    message: 'Python カーネルが応答しません：{problem}',
    remedy: 'セルが終わるまで待つか、セルを停止してください。',
  },
  'kernel.not-started': {
    message: 'Python カーネルを起動できませんでした：{problem}',
    remedy: 'サンドボックスで `python3 -m ipykernel --version` が動くことを確認してください。',
  },
  'launch.directory-missing': {
    message: '作業フォルダー {path} が存在しないか、フォルダーではありません。',
    remedy: '先に作成するか、作業フォルダーを省略してください。',
  },
  'launch.program-not-started': {
    message: '{program} を起動できませんでした：{problem}',
    remedy:
      'プログラムが存在すること、このユーザーが実行できること、プロセス数が上限に達していないことを確認してください。',
  },
  'output.not-kept': {
    message: 'この出力の {from} バイト目から {to} バイト目の手前までは保存されていません。',
    remedy: '{from} バイト目より前、または {to} バイト目以降を読み取ってください。',
  },
  'page.browser-failed': {
    message: 'サンドボックスのブラウザーでエラーが発生しました：{detail}',
    remedy: 'もう一度お試しください。続く場合は、サンドボックスのメモリ、プロセス、ディスクを確認してください。',
  },
  'page.browser-missing': {
    message:
      'このサンドボックスにブラウザーがありません。ベースイメージにブラウザーが含まれるようになる前に作成されたか、ブラウザーが削除されています。',
    remedy: 'インストールしてください：`sudo apt-get update && sudo apt-get install -y chromium-headless-shell`',
  },
  'page.crashed': {
    message: '{url} でブラウザーがクラッシュしました。{detail}',
    remedy: 'ページのメモリ使用量を減らしてください。',
  },
  'page.flooded': {
    message: '{url} のコンソール出力が多すぎて、読み取りきれません。{detail}',
    remedy: 'ページのコンソール出力を減らしてください。',
  },
  'page.look-unsupported': {
    message: 'このサンドボックスは、ページを表示できない古いバージョンで動いています。',
    remedy: 'サンドボックスを再起動してください。ファイルは残ります。',
  },
  'page.no-answer': {
    message: '{url} はリクエストを受け付けましたが、応答を送りませんでした。{detail}',
    remedy: 'サービスのログを確認してください。ページが遅いだけの場合は、timeout_seconds を設定してください。',
  },
  'page.not-local': {
    message: '{url} はこのサンドボックスのページではありません。',
    remedy:
      'サービスの名前か http://localhost:<ポート>/ を使ってください。ほかのページは、コマンドか Python で取得してください。',
  },
  'page.not-responding': {
    message: '{url} のスクリプトが動き続けていたため、ページを撮影できませんでした。{detail}',
    remedy: 'スクリプトに無限ループがないか確認してください。',
  },
  'page.too-much-memory': {
    message: '{url} はメモリを使いすぎたため、閉じられました。{detail}',
    remedy: 'ページのメモリ使用量を減らすか、サンドボックスのメモリの上限を上げてください。',
  },
  'page.unreachable': {
    message: '{url} を開けませんでした：{detail}',
    remedy: 'どのポートで何が動いているかは list_services で、動いていない理由は service_logs で確認してください。',
  },
  'process.input-closed': {
    message: 'プロセス {pid} の入力は閉じられています。',
    remedy: '入力を有効にしてプロセスを起動し、入力を閉じる前に書き込んでください。',
  },
  'process.not-a-terminal': {
    message: 'プロセス {pid} にターミナルはありません。',
    remedy: 'ターミナル付きでプロセスを起動してください。',
  },
  'process.unknown': {
    message: '{selector} のプロセスはありません。',
    remedy: 'プロセスの一覧で、動いているものを確認してください。',
  },
  'python.kernel-died': {
    message: '実行中に Python カーネルが終了しました。変数は失われ、ファイルは残っています。',
    remedy: '必要なセルをもう一度実行してください。新しいカーネルが自動的に起動します。',
  },
  'run.invalid': {
    message: '実行を開始できません：{problem}',
    remedy: 'リクエストを修正し、新しいキーで開始してください。',
  },
  'run.unknown': {
    message: '実行「{key}」が見つかりません。破棄されたか、別の起動のものです。',
    remedy: 'もう一度実行しても問題がない場合は、新しいキーで開始してください。',
  },
  'search.failed': {
    message: '検索に失敗しました：{problem}',
    remedy: 'パターン（Rust の正規表現の構文）とパスを確認してください。',
  },
  'service.invalid': { message: 'サービスを起動できません：{problem}', remedy: 'リクエストを修正してください。' },
  'service.log-missing': {
    message: 'このサンドボックスに、サービス「{name}」の出力はありません。',
    remedy: '先に起動してください。',
  },
  'session.name-invalid': {
    message: '「{name}」はシェルセッションの名前に使えません。',
    remedy: '64 文字以内で、英字、数字、ピリオド、ハイフン、アンダースコアを使ってください。',
  },
  'terminal.ended': { message: 'ターミナル {id} のシェルが終了しました。', remedy: '別のターミナルを開いてください。' },
  'terminal.too-many': {
    message: 'サンドボックスのターミナルは {max} 個までです。',
    remedy: '先にターミナルを 1 つ閉じてください。',
  },
  'terminal.unknown': { message: 'ターミナル {id} が見つかりません。', remedy: 'ターミナルの一覧を確認してください。' },
  'user.unknown': {
    message: 'サンドボックスにユーザー「{name}」が存在しません。',
    remedy: '「user」か「root」を使うか、先にサンドボックスでユーザーを作成してください。',
  },
}
