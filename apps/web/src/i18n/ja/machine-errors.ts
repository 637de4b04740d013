import type { ErrorWords } from '../words.ts'

/** Errors of the machine, of an installation, and of requests between its processes. */
export const machineErrors: ErrorWords = {
  'blob.key-invalid': {
    message: '{key} は blob のキーとして無効です。',
    remedy: 'これは threadbox のバグです。リクエスト ID とともに報告してください。',
  },
  'blob.offset-invalid': {
    message: '{sizeBytes} バイトの blob に、オフセット {offset} から追記することはできません。',
    remedy: 'これは threadbox のバグです。リクエスト ID とともに報告してください。',
  },
  'bundle.file-exists': {
    message: '{file} はすでに存在するため、サポートバンドルは書き込まれませんでした。',
    remedy: '--bundle の後に別のファイル名を指定するか、このファイルを削除してください。',
  },
  'bundle.not-written': {
    message: 'サポートバンドル {file} を書き込めませんでした：{reason}',
    remedy: '空き容量があり、書き込みできるフォルダー内のファイルを指定してください。',
  },
  'config.setting-invalid': {
    message: '設定 {name} が無効です：{problem}',
    remedy: '環境変数または threadbox.env の {name} を修正し、再起動してください。',
  },
  'disk.command-failed': {
    message: '`{command}` が失敗しました：{reason}',
    remedy:
      '`threadbox doctor` を実行し、サンドボックスのディスクに必要なものがこのホストにすべてあるかどうかを確認してください。',
  },
  'disk.id-invalid': {
    message: '「{id}」はディスクまたはイメージの ID に使えません。',
    remedy: '1 ～ 64 文字で、a–z、0–9、「.」、「_」、「-」を使ってください。先頭は英字か数字にしてください。',
  },
  'disk.image-in-use': {
    message: 'イメージ {imageId} を削除できません。{diskCount} 個のディスクが使っています。',
    remedy: '先にそのディスクを削除してください。',
  },
  'disk.image-not-found': {
    message: 'イメージ {imageId} がディスクプールに見つかりません。',
    remedy: '`threadbox up` を実行してビルドしてください。',
  },
  'disk.limit-invalid': {
    message: '{limitBytes} バイトはディスクの上限に使えません。',
    remedy: '1 MiB 以上のバイト数を整数で指定してください。',
  },
  'disk.machine-full': {
    message:
      '{path} のディスクプールには、空けておく必要のある分を含めて、そのディスクにあと {neededBytes:size} 必要ですが、空きは {availableBytes:size} しかありません。',
    remedy:
      'そのディスクの空きを増やすか、プールを小さくするか（THREADBOX_POOL_SIZE）、別のデータフォルダーを使ってください。',
  },
  'disk.no-room-for-snapshot': {
    message: 'サンドボックスのディスクがいっぱいのため、スナップショットを作成できませんでした：{reason}',
    remedy: 'サンドボックスのファイルか古いスナップショットを削除するか、ディスクの上限を上げてください。',
  },
  'disk.not-found': {
    message: 'ディスク {diskId} がディスクプールに見つかりません。',
    remedy: 'サンドボックスを新しいものに置き換えられます。失われたディスクのファイルは復元できません。',
  },
  'disk.pool-busy': {
    message: '{path} のディスクプールを使用または解放できません：{reason}',
    remedy:
      '使っているものを停止してから（`threadbox down` はすべてのサンドボックスを停止します）、もう一度お試しください。',
  },
  'disk.pool-full': {
    message:
      'ディスクを作成できません。ディスクプールの空きは {availableBytes:size} で、そのうち {reservedBytes:size} はイメージと保存されたメモリのために確保されています。',
    remedy: '不要なスレッドを削除するか、プールを大きくしてください（THREADBOX_POOL_SIZE）。',
  },
  'disk.pool-sparse': {
    message:
      'プールのファイル {path} のサイズは {sizeBytes:size} ですが、割り当て済みなのは {allocatedBytes:size} だけです。このファイルのあるディスクがいっぱいになると、サンドボックスの保存済みのデータが失われます。',
    remedy:
      'ディスクに十分な空きがあることを確認し、`fallocate -l {sizeBytes} {path}` を実行してから（内容は残ります）、再起動してください。',
  },
  'disk.pool-unsupported': {
    message: '{path} にディスクプールを割り当てられません：{reason}',
    remedy:
      'btrfs とループデバイスを使えるホストで、ext4、xfs、btrfs のいずれかにあるデータフォルダーを使ってください。',
  },
  'disk.snapshot-not-found': {
    message: 'ディスク {diskId} にスナップショット {snapshotId} はありません。',
    remedy: 'ディスクにあるスナップショットを使ってください。',
  },
  'disk.snapshots-unsupported': {
    message:
      'このディスクプールは完全なクォータを使っていて、スナップショットがあるとディスクが上限を超えられるため、スナップショットはオフになっています。',
    remedy: 'Linux 6.7 以降と、自分で用意した btrfs ファイルシステムの上にないデータフォルダーを使ってください。',
  },
  'disk.too-many-files': {
    message:
      'ディスクが大きすぎて比較できません。名前が {mostFiles} 個を超えているか、名前の合計が {mostMebibytes} MiB を超えています。',
    remedy: 'サンドボックスに不要なファイルやフォルダーを削除してから、もう一度お試しください。',
  },
  'driver.boot-failed': {
    message: 'サンドボックスを起動できませんでした：{reason}',
    remedy: '`threadbox doctor` を実行してください。テスト用のサンドボックスを起動し、足りないものを報告します。',
  },
  'driver.boot-not-running': {
    message: '起動 {bootId} は動いていません。',
    remedy: 'サンドボックスをもう一度起動してください。',
  },
  'driver.boot-running': {
    message: '起動 {bootId} の記録を削除できません。まだ動いています。',
    remedy: '先に停止してください。',
  },
  'driver.boot-unknown': {
    message: '起動 {bootId} が見つかりません。',
    remedy: 'サンドボックスをもう一度起動してください。',
  },
  'driver.boot-used': {
    message: '起動 {bootId} はすでに終了しています。起動 ID を使えるのは一度だけです。',
    remedy: '新しい起動 ID でサンドボックスを起動してください。',
  },
  'driver.cgroups-missing': {
    message: 'サンドボックスで、カーネルの cgroup コントローラー {controller} を使えません。',
    remedy:
      'コントローラー {controller} を有効にし（カーネルパラメーター `cgroup_enable={controller}`、コンテナの場合は専用の cgroup ツリーで実行）、再起動してください。',
  },
  'driver.memory-not-saved': {
    message: 'サンドボックスのメモリを保存できませんでした：{reason}',
    remedy:
      'サンドボックスは動き続けます。ディスクの空きを確認してください。何が不足しているかは `threadbox doctor` で分かります。',
  },
  'driver.memory-unusable': {
    message: 'サンドボックスの保存されたメモリを使えません（{problem}）：{detail}',
    remedy: 'サンドボックスをディスクから起動してください。',
  },
  'driver.runsc-failed': {
    message: '`runsc {verb}` が失敗しました（終了コード {exitCode}）：{reason}',
    remedy: '`threadbox doctor` を実行してください。テスト用のサンドボックスを起動し、足りないものを報告します。',
  },
  'driver.runsc-missing': {
    message: 'gVisor の runsc を実行できません。{path} が存在しません。',
    remedy: '`threadbox up` をもう一度実行して、runsc をインストールしてください。',
  },
  'egress.name-not-reached': {
    message: '{name} に接続できません：{reason}。',
    remedy: '名前と、そのサーバーが動いているかを確認してください。',
  },
  'egress.path-unknown': {
    message: 'egress プロセスにパス {path} はありません。',
    remedy: 'サーバー、ホストデーモン、egress プロセスのバージョンをそろえてください。',
  },
  'egress.response-unknown': {
    message: 'サンドボックスをインターネットにつなぐプロセスの応答（{status}）を解釈できません。',
    remedy:
      'このプロセスと threadbox のほかの部分のバージョンが異なる可能性があります。threadbox を再起動してください。続く場合は `threadbox logs` を確認してください。',
  },
  'egress.unreachable': {
    message: 'サンドボックスをインターネットにつなぐプロセスが応答していません。',
    remedy: 'まだ起動中の可能性があります。続く場合は、サーバーで `threadbox doctor` を実行してください。',
  },
  'guest.body-unreadable': {
    message: 'リクエストの本文を読み取れません：{problem}',
    remedy: '1 MiB 以下の JSON を送ってください。',
  },
  'guest.git-request-gone': {
    message: 'この git のリクエストは終わっているか、すでに処理されています。',
    remedy: 'git がエラーを報告した場合は、そのコマンドをもう一度実行してください。',
  },
  'guest.init-invalid': {
    message: 'ハンドシェイクが無効です：{problem}',
    remedy: 'ハンドシェイクのすべての項目を送ってください。',
  },
  'guest.route-unknown': { message: '{path} には何もありません。', remedy: 'メソッドとパスを確認してください。' },
  'guest.template-refused': {
    message: 'このサンドボックスはテンプレートに使えません：{problem}',
    remedy: '未使用のサンドボックスからテンプレートを作成してください。',
  },
  'guest.token-wrong': {
    message: 'アクセスが拒否されました。アクセストークンがないか、間違っています。',
    remedy: 'この起動のためにホストが設定したアクセストークンを送ってください。',
  },
  'host.answer-unknown': {
    message: 'ホストデーモンが、サーバーに理解できない応答を送りました（{status}）。',
    remedy:
      'サーバーとホストデーモンのバージョンが異なる可能性があります。threadbox を再起動してください。続く場合は、`threadbox logs` を確認してください。',
  },
  'host.path-unknown': {
    message: 'ホストデーモンにルート {path} はありません。',
    remedy: 'サーバーとホストデーモンを同じバージョンにしてください。',
  },
  'host.request-invalid': { message: 'リクエストが無効です：{problem}', remedy: 'リクエストを修正してください。' },
  'host.socket-taken': {
    message: '別のホストデーモンがすでに {path} で動いています。',
    remedy: 'それを停止するか、別のデータフォルダーを使ってください。',
  },
  'host.token-wrong': {
    message: 'リクエストのホストトークンがないか、間違っています。',
    remedy: 'サーバーとホストデーモンで同じトークンファイルを使ってください。',
  },
  'image.archive-broken': {
    message: 'イメージ {archive} を展開できませんでした：{reason}',
    remedy: 'ファイルを削除してから、`threadbox up` をもう一度実行して新しく作成してください。',
  },
  'installation.missing': {
    message: '{dataDirectory} に threadbox が見つからないか、読み取る権限がありません。',
    remedy:
      '`./threadbox up` を実行するか、--data-dir でフォルダーを指定してください。所有者が root の場合は、sudo を使ってください。',
  },
  'installation.sandboxes-not-stopped': {
    message:
      'すべてのサンドボックスを停止できませんでした。ホストデーモンが HTTP ステータス {status} で応答しました。まだ動いているものがあるかもしれません。',
    remedy: '`./threadbox logs host` で原因を確認してから、コマンドをもう一度実行してください。',
  },
  'logs.unknown': {
    message: '{name} というログはありません。',
    remedy: 'server、host、supervisor のいずれかを使ってください。',
  },
  'network.address-in-use': {
    message: 'アドレス {address} はサンドボックス {sandboxId} のものです。',
    remedy: '別のアドレスを使うか、先にそのサンドボックスを削除してください。',
  },
  'network.address-invalid': {
    message: '「{address}」は、{pool} で使えるサンドボックスのアドレスではありません。',
    remedy: 'ネットワークの一覧にあるアドレスを使ってください。',
  },
  'network.attached-elsewhere': {
    message: 'サンドボックス {sandboxId} は、すでにアドレス {address} で接続されています。',
    remedy: '先に切り離してください。',
  },
  'network.command-failed': {
    message: '`{command}` が失敗しました：{reason}',
    remedy: '`threadbox doctor` を実行し、ネットワークに必要なものがこのホストにあるかどうかを確認してください。',
  },
  'network.egress-invalid': {
    message: '「{name}」は、許可するホスト名の一覧に使えません。',
    remedy:
      'index.example.net のようなホスト名か、すべてのサブドメインを表す *.example.com の形で入力してください。どちらにもポートを付けられます（example.com:8443）。',
  },
  'network.id-invalid': {
    message: '「{id}」は threadbox またはサンドボックスの ID に使えません。',
    remedy: '1 ～ 64 文字で、a–z、0–9、「-」を使ってください。threadbox の ID は、a–z と 0–9 の 6 文字です。',
  },
  'network.no-address-left': {
    message: '範囲 {pool} のアドレスはすべて使用中です。',
    remedy: '不要なスレッドを削除するか、範囲を広げてください（THREADBOX_NETWORK_POOL）。',
  },
  'network.not-attached': {
    message: 'サンドボックス {sandboxId} にネットワークがありません。',
    remedy: 'サンドボックスを起動すると接続されます。',
  },
  'network.pool-invalid': {
    message: 'アドレス範囲 {pool} はサンドボックスに使えません：{reason}',
    remedy:
      '198.18.0.0/18 や 10.201.0.0/16 のような、使われていないプライベート IPv4 アドレスの範囲を、THREADBOX_NETWORK_POOL に設定してください。',
  },
  'request.cursor-invalid': {
    message: 'カーソルが無効です。',
    remedy: 'カーソルなしで始め、その後は `next` をそのまま渡してください。',
  },
  'request.not-json': {
    message: 'リクエストの本文が有効な JSON ではありません。',
    remedy: 'ヘッダー `content-type: application/json` を付けて、UTF-8 の JSON を送ってください。',
  },
  'route.not-found': {
    message: 'API にこのルートはありません。',
    remedy: '使えるルートは /api/v1/openapi.json で確認してください。',
  },
  'secret.master-key-invalid': {
    message: '{path} は有効なマスターキーではありません。ファイルには 64 桁の 16 進数が必要です。',
    remedy:
      'バックアップからファイルを復元してください。このファイルがないと、保存されたシークレットを復号できません。',
  },
}
