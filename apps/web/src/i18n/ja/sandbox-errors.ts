import type { ErrorWords } from '../words.ts'

/** Errors of sandboxes, their network access and the credentials that they use. */
export const sandboxErrors: ErrorWords = {
  'archive.disk-changed': {
    message: 'アーカイブ中に {sandboxId} のディスクが書き換えられたため、ディスクはここに残ります。',
    remedy: '使われていないときに、もう一度アーカイブしてください。',
  },
  'archive.files-lost': {
    message: 'サンドボックスのアーカイブ済みファイルを復元できません：{reason} 会話は残っています。',
    remedy: '足りないオブジェクトをアーカイブに戻すよう管理者に依頼し、もう一度試してください。',
  },
  'archive.no-space': {
    message:
      'サンドボックスをアーカイブから復元できません。ホストのディスクに {neededBytes} バイト必要ですが、空きは {freeBytes} バイトです。',
    remedy:
      'スレッドやスナップショットを削除するか、ディスクプールを大きくして、もう一度試してください。アーカイブ済みファイルは残っています。',
  },
  'archive.not-asleep': {
    message: 'アーカイブできるのは、ファイルがあり、動いていないサンドボックスだけです。現在の状態：{state}',
    remedy: '一時停止するか、動かなくなるまで待ってください。',
  },
  'archive.not-set-up': {
    message: 'このインストールにはアーカイブがありません。',
    remedy: 'THREADBOX_ARCHIVE_STORE に別のディスクのフォルダーかバケットを指定し、threadbox を再起動してください。',
  },
  'archive.part-lost': {
    message: 'アーカイブ済みファイルの {part} 番目の部分：{state}',
    remedy: 'コピーなどからオブジェクトをアーカイブに戻し、もう一度試してください。',
  },
  'archive.store-unreachable': {
    message: 'アーカイブを使えません：{reason}',
    remedy:
      'アーカイブに接続できるようになってから、もう一度試してください。失われたものはありません。アーカイブ済みファイルは残っています。',
  },
  'sandbox.archived': {
    message: 'サンドボックス {sandboxId} はアーカイブ済みです。ファイルはこのホストにありません。',
    remedy: '先に復元してください。',
  },
  'environment.id-taken': {
    message: 'サンドボックス {sandboxId} はすでに存在します。',
    remedy: '別の ID を使ってください。',
  },
  'environment.in-use': {
    message: '{sandboxId} のディスクは使用中です。',
    remedy: '先にサンドボックスを停止してください。',
  },
  'environment.not-cleaned': {
    message: 'コピーをスキャンできませんでした：{problem}',
    remedy: 'もう一度お試しください。続く場合は、ホストデーモンのログを確認してください。',
  },
  'environment.not-packed': {
    message: 'ディスクのアーカイブを作成できませんでした：{problem}',
    remedy: 'もう一度お試しください。続く場合は、ホストデーモンのログを確認してください。',
  },
  'environment.not-searched': {
    message: 'コピーのメモリを検索できませんでした：{problem}',
    remedy: 'もう一度お試しください。続く場合は、ホストデーモンのログを確認してください。',
  },
  'environment.other-image': {
    message: 'ディスクにはベースイメージ {wanted} が必要ですが、この threadbox にあるのは {present} です。',
    remedy: '両方の threadbox を同じバージョンに更新してから、もう一度エクスポートしてください。',
  },
  'fork.id-taken': {
    message: 'サンドボックス {sandboxId} はすでに存在し、作成中のフォークではありません。',
    remedy: '新しい ID でフォークしてください。',
  },
  'git-credential.push-refused': {
    message: '{host} の {repository} の Git 認証情報は読み取り専用のため、何も push されませんでした。',
    remedy: '設定 → Git で push を許可できます。',
  },
  'git-credential.repository-missing': {
    message: '{host} に {repository} が存在しないか、トークンでアクセスできません。',
    remedy: 'リポジトリの名前とトークンの権限を確認してください。',
  },
  'git-credential.repository-not-covered': {
    message: 'このスレッドには、{host} の {repository} に使える Git 認証情報がありません。',
    remedy:
      'スレッドのサンドボックスパネルで認証情報をオンにするか、設定 → Git で認証情報にこのリポジトリを追加してください。',
  },
  'git-credential.request-refused': {
    message: 'threadbox が転送するのは git の clone、fetch、push だけです：{problem}',
    remedy:
      'git を HTTPS で使ってください。Git LFS などのサービスは認証情報を使えません。認証情報なしで接続するには、`GIT_CONFIG_COUNT=0 git …` を実行してください。',
  },
  'git-credential.server-failed': {
    message: '{host} を使えませんでした：{problem}',
    remedy: 'Git 認証情報のサーバーを確認するか、後でもう一度お試しください。',
  },
  'git-credential.taken-back': {
    message:
      'git が {host} の {repository} に使っている間に、Git 認証情報が削除されたか、変更されたか、置き換えられました。',
    remedy: 'git コマンドをもう一度実行してください。現在の認証情報が使われます。',
  },
  'git-credential.token-refused': {
    message: '{host} が Git 認証情報のトークンを拒否しました（HTTP ステータス {status}）。',
    remedy: 'トークンの期限が切れたか、権限が足りない可能性があります。設定 → Git で新しいトークンを入力してください。',
  },
  'git-credential.too-many-requests': {
    message: '処理中の git のリクエストが、すでに {limit} 件を超えています。',
    remedy: 'いくつか終わってから、もう一度お試しください。',
  },
  'host.busy': {
    message: 'ホストは、より急ぎの処理を行っています。',
    remedy: '数秒後にもう一度お試しください。',
  },
  'host.image-missing': {
    message: '新しいサンドボックスのためのベースイメージがありません。',
    remedy: '`threadbox up` をもう一度実行してください。イメージをビルドし、THREADBOX_IMAGE を設定します。',
  },
  'host.no-memory': {
    message:
      'サンドボックスには {neededBytes:size} のメモリが必要ですが、空きは {availableBytes:size} しかありません（稼働中のサンドボックス：{awakeSandboxes} 個）。',
    remedy: '不要なサンドボックスを一時停止するか、いずれかが一時停止するのを待ってください。',
  },
  'host.shutting-down': {
    message: 'ホストデーモンはシャットダウン中です。',
    remedy: 'threadbox をもう一度起動してください。',
  },
  'rescue.disk-full': {
    message: 'ディスクがいっぱいです。何も保存できなかったため、何も停止していません。',
    remedy: 'サンドボックスのディスクの空きを増やすか、上限を上げてください。',
  },
  'rescue.not-in-sandbox': {
    message:
      'ゲストデーモンがサンドボックスの中で動いていません。状態を保存すると、ほかのプロセスがすべて停止するため、何も保存されませんでした。',
    remedy: 'ゲストデーモンをサンドボックスの中で起動してください。',
  },
  'rescue.process-unknown': {
    message: 'ID「{id}」の保存されたプロセスはありません。',
    remedy: '再起動できるプロセスを、レポートで確認してください。',
  },
  'rescue.request-invalid': {
    message: '保存のリクエストが無効です：{problem}',
    remedy: '0 より大きい時間制限とバイト数の上限を送ってください。',
  },
  'rescue.running': {
    message: 'サンドボックスは状態を保存しているため、今は何も起動できません。',
    remedy: '少し待ってからもう一度お試しください。自動的に復帰します。',
  },
  'sandbox.boot-used': {
    message: '起動 {bootId} はすでに終了しています。',
    remedy: '新しい起動 ID でサンドボックスを起動してください。',
  },
  'sandbox.deleting': {
    message: 'サンドボックス {sandboxId} は削除中です。',
    remedy: '別のサンドボックスを使ってください。',
  },
  'sandbox.disk-not-readable': {
    message: '今は、このサンドボックスのファイルをホストから読み取れません。',
    remedy: 'サンドボックスを復帰させてから読み取ってください。',
  },
  'sandbox.ended': {
    message: 'リクエストの処理中にサンドボックスが停止しました：{detail}',
    remedy: 'サンドボックスをもう一度起動してください。ファイルは残っていますが、プロセスは失われています。',
  },
  'sandbox.guest-ended-early': {
    message: '準備ができる前に、サンドボックスが停止しました：{detail}',
    remedy:
      'もう一度お試しください。続く場合は、実際のサンドボックスをテストする `threadbox doctor` を実行してください。',
  },
  'sandbox.guest-silent': {
    message: 'サンドボックスは起動しましたが、ゲストデーモンの準備が {waitedMs} ミリ秒以内にできませんでした：{reason}',
    remedy:
      'もう一度お試しください。続く場合は、実際のサンドボックスをテストする `threadbox doctor` を実行してください。',
  },
  'sandbox.guest-unreachable': {
    message: 'サンドボックスは動いていますが、ゲストデーモンとの接続に失敗しました：{reason}',
    remedy: 'もう一度お試しください。続く場合は、サンドボックスを再起動してください。',
  },
  'sandbox.memory-unusable': {
    message: 'サンドボックスの保存されたメモリを使えません（{reason}）：{detail}',
    remedy:
      'サンドボックスをディスクから起動してください。ファイルは残っています。実行中のプログラムなど、メモリだけにあったものは失われます。',
  },
  'sandbox.no-room-for-memory': {
    message:
      'サンドボックスのメモリの保存には {neededBytes:size} の空きが必要ですが、ディスクプールの空きは {availableBytes:size} しかありません。',
    remedy: '不要なスレッドを削除するか、プールを大きくしてください（THREADBOX_POOL_SIZE）。',
  },
  'sandbox.not-found': {
    message: 'サンドボックス {sandboxId} がこのホストに見つかりません。',
    remedy: '先にサンドボックスを作成してください。',
  },
  'sandbox.not-paused': {
    message: 'サンドボックスは一時停止していないため、破棄できる保存されたメモリがありません。',
    remedy: '先に一時停止するか、停止してください。',
  },
  'sandbox.not-running': { message: 'サンドボックスは動いていません。', remedy: '先に起動してください。' },
  'sandbox.other-boot': {
    message: 'リクエストの対象は起動 {bootId} ですが、サンドボックスで動いているのは起動 {currentBootId} です。',
    remedy: 'サンドボックスの現在の状態を取得し、判断し直してください。',
  },
  'sandbox.pause-abandoned': {
    message: 'サンドボックスが必要になったため、一時停止を取り消しました。',
    remedy: '後でもう一度一時停止してください。',
  },
  'sandbox.pause-failed': {
    message: 'サンドボックスを一時停止できませんでした：{reason}',
    remedy: 'ディスクプールの空きを確認してください。何が不足しているかは `threadbox doctor` で分かります。',
  },
  'sandbox.pause-unsupported': {
    message: '{driver} のサンドボックスは一時停止できません。',
    remedy: 'サンドボックスを停止してください。ファイルは残ります。',
  },
  'sandbox.paused': { message: 'サンドボックスは一時停止しています。', remedy: '先に復帰させてください。' },
  'sandbox.pausing': {
    message: 'サンドボックスを一時停止しています。',
    remedy: '復帰させてください。リクエストは、一時停止が完了するまで待ちます。',
  },
  'sandbox.port-closed': {
    message: 'サンドボックスのポート {port} が応答していません：{reason}',
    remedy: 'サービスを起動してください。動いているはずの場合は、出力を確認してください。',
  },
  'sandbox.rest-not-ended': {
    message: '休止中のサンドボックスが{seconds}秒以内に再開しませんでした。',
    remedy: 'もう一度お試しください。続く場合は、`threadbox logs`を確認してください。',
  },
  'sandbox.route-blocked': {
    message: 'ゲストのルート {path} はホストデーモン専用です。',
    remedy: 'ホストデーモンの API を使ってください。',
  },
  'skill.package-invalid': {
    message: 'データがスキルパッケージ {digest} と一致しません。',
    remedy: 'サーバーとホストデーモンを同じバージョンにしてから、もう一度送ってください。',
  },
  'snapshot.id-taken': {
    message: 'スナップショット {snapshotId} はすでに存在し、別のサンドボックスのものです。',
    remedy: '新しい ID でスナップショットを作成してください。',
  },
}
