import type { SettingWords } from '../words.ts'

/** What the settings of the server are called, by name. */
export const settingWords: SettingWords = {
  sandboxMemoryBytes: { title: 'メモリ', doc: '各サンドボックスのメモリ。' },
  sandboxCpus: { title: 'プロセッサー', doc: '各サンドボックスが使えるプロセッサー。小数も指定できます。' },
  sandboxProcesses: { title: 'プロセス', doc: '各サンドボックスが持てるプロセスとスレッドの合計。' },
  sandboxDiskBytes: { title: 'ディスク', doc: '各サンドボックスのディスク。スナップショットを含みます。' },
  idlePauseMinutes: {
    title: '一時停止するまで（分）',
    doc: '何も行われないときに、サンドボックスが一時停止するまでの分数。',
  },
  hotHours: {
    title: '保存したメモリを残す最短時間（時間）',
    doc: '一時停止の後、保存したメモリ（実行中のプログラム、変数）を必ず残す時間。',
  },
  hotKeep: {
    title: 'その後',
    doc: 'その時間が過ぎた後の扱い。`guaranteed`：ディスクに空きがある間はメモリを残します。`strict`：メモリを破棄します。',
  },
  maxAwakeHours: {
    title: '稼働し続ける最長時間（時間）',
    doc: '作業中でもサンドボックスが一時停止するまでの時間。1 時間前に知らせます。',
  },
  archiveDays: {
    title: 'アーカイブするまでの期間（日）',
    doc: '使われないサンドボックスのファイルをアーカイブ（`THREADBOX_ARCHIVE_STORE`）に移すまでの日数。次に使うときに戻ります。0：移しません。',
  },
  retentionDays: {
    title: 'ファイルを残す期間（日）',
    doc: '使われないサンドボックスのファイルが削除されるまでの日数。1 週間前に知らせます。0：削除しません。',
  },
  maxServices: {
    title: 'スレッドごとのサービス',
    doc: '1 つのスレッドで同時に動かせるサービスの数。1：新しいサービスが古いものを置き換えます。',
  },
  rescueSeconds: {
    title: '時間の上限（秒）',
    doc: 'メモリを破棄する前に、Python の変数をディスクに保存するのに使う秒数の上限。',
  },
  rescueMebibytes: {
    title: '変数全体の上限（MiB）',
    doc: '1 つのサンドボックスで保存される、すべての Python の変数の合計の上限（MiB）。',
  },
  rescueVariableMebibytes: {
    title: '変数 1 つの上限（MiB）',
    doc: '保存される Python の変数 1 つの上限（MiB）。',
  },
  snapshotsPerThread: {
    title: 'スレッドごとのスナップショット',
    doc: 'スレッドごとに残すディスクのスナップショットの数。ディスクを変更した応答ごとに 1 つ作られます。0：作りません。',
  },
  snapshotMebibytesPerThread: {
    title: 'スレッドごとのスナップショットの容量（MiB）',
    doc: '1 つのスレッドのスナップショットの間に書き込まれた量の上限（MiB、圧縮前）。超えると、最も古いものから削除されます。',
  },
  snapshotMebibytes: {
    title: '全スレッドのスナップショットの容量（MiB）',
    doc: 'すべてのスレッドのスナップショットの間に書き込まれた量の上限（MiB、圧縮前）。超えると、最も古いものから削除されます。',
  },
  memorySnapshotsPerThread: {
    title: 'スレッドごとのメモリ付きスナップショット',
    doc: 'スレッドごとに、メモリも残す最新のスナップショットの数。巻き戻しのとき、実行中のプロセスを復元できます。0：残しません。',
  },
  memorySnapshotMebibytes: {
    title: '全スレッドのスナップショットのメモリ（MiB）',
    doc: 'すべてのスレッドのスナップショットが持つメモリの上限（MiB）。超えると最も古いものが削除されます。1 つのスナップショットが使えるのは 4 分の 1 までです。',
  },
  memorySnapshotMebibytesPerThreadHour: {
    title: 'スレッドごとに 1 時間で保存するスナップショットのメモリ（MiB）',
    doc: '1 つのスレッドのスナップショットについて、1 時間に保存するメモリの上限（MiB）。超えると、空きができるまで保存を待ちます。',
  },
  memorySnapshotMebibytesPerHour: {
    title: '全スレッドで 1 時間に保存するスナップショットのメモリ（MiB）',
    doc: 'すべてのスレッドのスナップショットについて、1 時間に保存するメモリの上限（MiB）。超えると、空きができるまで保存を待ちます。',
  },
  memorySnapshotQuietSeconds: {
    title: 'スナップショットのメモリを保存するまで（秒）',
    doc: '応答の後、スナップショットとともにメモリを保存するまでに待つ秒数。それより早くメッセージが送られると、メモリは保存されません。',
  },
  modelUsdPerMonth: {
    title: 'モデルの月ごとの上限（USD）',
    doc: '全員のモデルへのリクエストに 1 か月に使える USD。価格がわかるモデルだけを数えます。0：上限なし。',
  },
  unpricedModels: {
    title: '価格のないモデル',
    doc: '上限があるときに、価格のないモデルへのリクエストをどう扱うか。`allowed`：数えません。`refused`：拒否します。',
  },
  modelFallbacks: {
    title: '引き継ぐモデル',
    doc: 'モデルが応答できないときに引き継げるモデル。`any`：設定したすべて。`same-provider`：同じプロバイダーだけ。ほかのプロバイダーに会話は渡りません。',
  },
  adminsMayRead: {
    title: '管理者による閲覧',
    doc: 'オーナーと管理者が、参加していないスレッドを読めるかどうか。`never`：読めません。`with-reason`：理由を入力すると閲覧のみできます。理由はスレッドのメンバーと監査ログに表示されます。オンのときはサインインページに表示されます。',
  },
  timeZone: {
    title: 'レポートとバックアップのタイムゾーン',
    doc: '使用量レポートの日付と月、毎日のバックアップに使うタイムゾーン（例：`Asia/Tokyo`）。',
  },
  backupDaily: {
    title: '毎日のバックアップの時刻',
    doc: '毎日バックアップを作成する時刻（例：`03:15`）。レポートのタイムゾーンを使います。空欄：手動のみ。マシンでバックアップを設定するまでは効果がありません。',
  },
  adminPasskeys: {
    title: 'オーナーと管理者のパスキー',
    doc: 'オーナーと管理者にパスキーを必須とするか。`required`：持っていない人は、追加するまで、その役割だけに許された操作ができません。',
  },
  runsAtOnce: {
    title: '同時実行数',
    doc: '1 人につき同時に動かせるエージェントの実行の数。それを超えるものは待機します。',
  },
  runsQueued: {
    title: '待機できる実行の数',
    doc: '1 人につき待機できるエージェントの実行の数。超えると新しい実行は拒否され、予定された実行はスキップとして記録されます。',
  },
  runHistoryDays: {
    title: '終了した実行を一覧に残す期間（日）',
    doc: '終了した実行が一覧に残る日数。エージェントが最新の実行のスレッドだけを残す場合を除き、スレッドは残ります。',
  },
  runHistoryCount: {
    title: 'エージェントごとに一覧に残す実行の数',
    doc: 'エージェントごとに一覧に残る、終了した実行の数の上限。超えると、最も古いものから一覧に表示されなくなります。',
  },
  THREADBOX_INSTALLATION: {
    title: 'この threadbox の ID',
    doc: 'a–z と 0–9 の 6 文字。`up` が一度だけ作成し、ホストに作るすべての名前に使います。',
  },
  THREADBOX_DATA: {
    title: 'データフォルダー',
    doc: 'プログラム、ディスクプール、データベース、ファイル、キーのある場所。サーバーが必要とするものを除き、モードは 0700 です。',
  },
  THREADBOX_HOST_SOCKET: {
    title: 'ホストデーモンのソケット',
    doc: 'ホストデーモンの Unix ソケット。サーバーのグループだけがアクセスできます。',
  },
  THREADBOX_GATEWAY_SOCKET: {
    title: 'ゲートウェイのソケット',
    doc: 'サーバーがサンドボックス内のプログラムに接続するための Unix ソケット。サーバーのグループだけがアクセスできます。',
  },
  THREADBOX_LOG_LEVEL: { title: 'ログレベル', doc: 'ログに記録する詳しさ。' },
  THREADBOX_LISTEN_HOST: {
    title: '待ち受けアドレス',
    doc: 'サーバーが待ち受けるアドレス。ループバック以外のアドレスにすると、ほかのコンピューターから到達できます。',
  },
  THREADBOX_PORT: { title: 'ポート', doc: 'サーバーが待ち受けるポート。0：空いているポート。' },
  THREADBOX_BASE_DOMAIN: {
    title: 'ドメイン',
    doc: 'アプリ（`app.<ドメイン>`）とプレビューのドメイン。既定値：`<ID>.localhost`。',
  },
  THREADBOX_PUBLIC_URL: {
    title: '公開 URL',
    doc: 'TLS を終端するプロキシを通したアプリの URL。HTTPS の場合、Cookie は `__Host-` と Secure になります。',
  },
  THREADBOX_ALLOWED_HOSTS: {
    title: '追加のホスト名',
    doc: 'アプリを開くことのできる、ほかの名前またはアドレス（コンマ区切り）。',
  },
  THREADBOX_SERVER_DATA: {
    title: 'サーバーのフォルダー',
    doc: 'サーバーのデータベース、ファイル、キーのフォルダー。既定値：`<データフォルダー>/server`。',
  },
  THREADBOX_WEB_DIRECTORY: {
    title: 'Web アプリのフォルダー',
    doc: 'ビルドした Web アプリのフォルダー。空の場合、サーバーは API だけを提供します。',
  },
  THREADBOX_UNDO_SECONDS: {
    title: '削除を取り消せる時間（秒）',
    doc: '削除したスレッドを元に戻せる秒数。',
  },
  THREADBOX_CONNECTIONS_ALLOW: {
    title: '許可するプライベートアドレス',
    doc: 'MCP の接続、Git 認証情報、サインインのプロバイダーで使える、プライベートネットワークの名前、アドレス、範囲（コンマ区切り）。これらとの通信は暗号化されていなくてもかまいません。',
  },
  THREADBOX_CONNECTION_SECONDS: {
    title: 'MCP サーバーの応答の時間制限（秒）',
    doc: 'MCP サーバーの 1 回の応答と、Git サーバーが何も返さない間の、時間制限の秒数。',
  },
  THREADBOX_CONNECTION_ANSWER_MEBIBYTES: {
    title: 'MCP サーバーの応答の最大サイズ（MiB）',
    doc: 'MCP サーバーの応答の最大サイズ（MiB）。',
  },
  THREADBOX_CONNECTION_PROGRAMS: {
    title: 'プログラムを動かす接続の数',
    doc: '1 人につき、専用のサンドボックスでプログラムを動かせる接続の数。0：なし。',
  },
  THREADBOX_CONNECTION_PROGRAM_MEBIBYTES: {
    title: '接続のプログラムのメモリ（MiB）',
    doc: '接続のプログラムを動かすサンドボックスのメモリ（MiB）。動いている間だけ使われます。',
  },
  THREADBOX_MAX_TURN_STEPS: {
    title: '1 回の応答のステップ数',
    doc: '1 回の応答でモデルを呼び出せる回数。達すると応答は止まり、続けるかどうかを尋ねます。',
  },
  THREADBOX_MAX_TURN_MINUTES: {
    title: '1 回の応答の時間（分）',
    doc: '1 回の応答の最長時間（分）。コマンドの時間を含みます。',
  },
  THREADBOX_MAX_TURN_TOKENS: {
    title: '1 回の応答のトークン数',
    doc: '1 回の応答のトークン数の上限。キャッシュされた入力を含む入力と、出力の合計です。',
  },
  THREADBOX_MAX_TURN_USD: {
    title: '1 回の応答の費用（USD）',
    doc: '1 回の応答の費用の上限（USD）。価格の分かっているモデルに適用されます。0：制限なし。',
  },
  THREADBOX_MAX_ANSWER_TOKENS: {
    title: '1 ステップの出力トークン数',
    doc: 'モデルの 1 回の呼び出しで出力できるトークン数。コンテキストウィンドウの 4 分の 1 までです。',
  },
  THREADBOX_COMPACT_AT_PERCENT: {
    title: '要約を始める割合（%）',
    doc: 'コンテキストウィンドウがどれだけ埋まると、古いメッセージを要約するか（%）。',
  },
  THREADBOX_TOOL_OUTPUT_CHARACTERS: {
    title: 'モデルに渡す出力の文字数',
    doc: 'ツールの出力のうち、先頭と末尾からモデルに渡す文字数の上限。出力全体は、モデルが読めるファイルに保存されます。',
  },
  THREADBOX_SAVED_OUTPUT_MEBIBYTES: {
    title: '保存する出力の最大サイズ（MiB）',
    doc: 'エージェントのためにサンドボックスのファイルとしても保存する、出力の最大サイズ（MiB）。あなたに残る出力に上限はありません。',
  },
}
