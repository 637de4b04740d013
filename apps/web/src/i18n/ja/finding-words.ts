import type { FindingWords } from '../words.ts'

const tryAgain = 'もう一度お試しください。続く場合は、`threadbox logs` でリクエスト ID を探してください。'
const checkNetwork =
  'このホストで名前解決ができるかどうかを確認してください（/etc/resolv.conf）。プロキシ経由でインターネットに接続している場合は、THREADBOX_SANDBOX_PROXY を設定してください。社内の認証局が証明書に署名している場合は、THREADBOX_EXTRA_CERTIFICATES を設定してください。点検「ほかのファイアウォール」も参照してください。'

/** What the checks of the machine find, and the fix. */
export const findings: FindingWords = {
  'host-reachable-fine': { detail: '応答しています。', cure: '' },
  'host-reachable-missing': {
    detail: '応答していません。',
    cure: 'サーバーで `threadbox doctor` を実行してください。',
  },
  'kernel-fine': { detail: 'Linux {release}', cure: '' },
  'kernel-too-old': {
    detail: 'Linux {release} は 5.10 より古いバージョンです。',
    cure: 'Debian 12、Ubuntu 24.04、またはそれ以降にアップグレードしてください。',
  },
  'cgroups-fine-v1': {
    detail:
      'バージョン 1：メモリ、CPU、プロセス数を制限できます。サンドボックスの起動はバージョン 2 より 5～30 ミリ秒遅くなります。',
    cure: '',
  },
  'cgroups-fine': { detail: 'バージョン {version}：メモリ、CPU、プロセス数を制限できます。', cure: '' },
  'cgroups-missing': {
    detail: 'バージョン {version}：{missing} を制限できません。',
    cure: 'カーネルのコマンドラインに `cgroup_enable={first}` を追加するか、コンテナに専用の cgroup ツリーを割り当ててください。',
  },
  'disk-rate-fine': { detail: '各サンドボックスの読み書きは毎秒最大 {rate} MiB です。', cure: '' },
  'disk-rate-none': { detail: '制限は設定されていません。', cure: '' },
  'disk-rate-not-enforced': {
    detail:
      'このカーネルでは適用されません（cgroup バージョン {version}）。1 つのサンドボックスがほかのサンドボックスのディスクを遅くする可能性があります。',
    cure: 'cgroup v2 と `io` コントローラーを有効にしてホストを起動してください（例：`systemd.unified_cgroup_hierarchy=1`）。',
  },
  'btrfs-fine': { detail: '{version}', cure: '' },
  'btrfs-missing': {
    detail: 'カーネルで btrfs を使えません。',
    cure: 'モジュールを読み込んでください：`modprobe btrfs`',
  },
  'nftables-fine': { detail: 'nftables のテーブル {table} があります。', cure: '' },
  'nftables-missing': {
    detail: 'nftables のテーブル {table} がありません。ホストデーモンが作成した後に、何かによって削除されました。',
    cure: 'ホストデーモンを再起動し、ほかのツールが `nft flush ruleset` を実行しないようにしてください。',
  },
  'router-missing': {
    detail: 'サンドボックスのネットワーク名前空間が削除されたため、サンドボックスはどこにも接続できません。',
    cure: '`./threadbox down` の後に `./threadbox up` を実行してください。起動していたサンドボックスは再びネットワークを使えるようになります。',
  },
  'nftables-outdated': {
    detail: 'nftables のテーブル {table} は、ホスト自身のネットワークの次のアドレスを拒否していません：{addresses}',
    cure: 'ホストデーモンを再起動してください。再発する場合は、`threadbox logs` で「network」を検索してください。',
  },
  'process-fine': { detail: 'ユーザー {user}、権限なし、{memory} MiB', cure: '' },
  'process-missing': {
    detail: 'プロセスが実行されていません。',
    cure: '`./threadbox down` と `./threadbox up` を実行してください。再発する場合は、`threadbox logs host` で「{name}」を検索してください。',
  },
  'process-silent': {
    detail: 'プロセス {pid} が応答していません。',
    cure: '`./threadbox down` と `./threadbox up` を実行してください。再発する場合は、`threadbox logs host` で「{name}」を検索してください。',
  },
  'process-privileged': {
    detail: 'プロセス {pid} に、あってはならない権限があります: {rights}',
    cure: '`./threadbox up` を実行し、その後 `./threadbox down` と `./threadbox up` を実行してください。最初のコマンドがユーザーと設定を修復します。',
  },
  'forwarding-fine': { detail: 'サンドボックスの通信を既定で破棄するファイアウォールは、ほかにありません。', cure: '' },
  'forwarding-blocked-docker': { detail: '{chain} は、サンドボックスの通信を既定で破棄します。', cure: '{commands}' },
  'forwarding-blocked-ufw': { detail: '{chain} は、サンドボックスの通信を既定で破棄します。', cure: '{commands}' },
  'forwarding-blocked-other': {
    detail: '{chain} は、サンドボックスの通信を既定で破棄します。',
    cure: '{chain} で、インターフェース {interfaces} から転送されるパケットと、逆方向の確立済みの接続のパケットを許可してください。',
  },
  'ids-fine': { detail: 'このホストのユーザー ID を持つサンドボックスはありません。', cure: '' },
  'ids-not-shifted': {
    detail: 'サンドボックスが、このホストのユーザー ID を権限なしで持っています：{reason}',
    cure: 'Linux 5.15 以降と perl のあるホストを使い、THREADBOX_DATA を btrfs、ext4、XFS のいずれかに置いてください。',
  },
  'namespaces-missing': {
    detail: 'カーネルがユーザー名前空間を作成しません：{reason}',
    cure: '許可してください：`sysctl user.max_user_namespaces=15000`。コンテナの中では、そのランタイムの許可も必要です。',
  },
  'driver-fine': { detail: '{name} {version}（補助プログラムあり）', cure: '' },
  'driver-without-helpers': {
    detail: '{name} {version}（補助プログラムなし）：カーネルによってはサンドボックスの起動が 40 ミリ秒遅くなります。',
    cure: '`./threadbox up` を実行してインストールしてください。',
  },
  'compression-off': { detail: 'オフです。', cure: '' },
  'compression-fine': { detail: '{heldBytes:size} のメモリが {storedBytes:size} に圧縮されています。', cure: '' },
  'compression-fine-v1': {
    detail:
      '{heldBytes:size} のメモリが {storedBytes:size} に圧縮されています。cgroup バージョン 1 では、メモリが不足すると、カーネルが実行中のサンドボックスのメモリも圧縮します。',
    cure: '',
  },
  'compression-other-swap': {
    detail:
      'アイドル状態のサンドボックスのメモリは圧縮されません。{detail} がスワップとして使われており、ホストがメモリをディスクに書き込む可能性があるためです。',
    cure: 'そのスワップをオフにするか（`swapoff` を実行し、/etc/fstab の行を削除）、THREADBOX_COMPRESS_FROZEN=off を設定してください。',
  },
  'compression-full': {
    detail: '圧縮したメモリを置く空きがありません：{detail}',
    cure: 'ホストのメモリを増やすか、`idlePauseMinutes` を小さくして、アイドル状態のサンドボックスが早く一時停止するようにしてください。',
  },
  'compression-unavailable': {
    detail: 'アイドル状態のサンドボックスのメモリを圧縮できないため、それぞれがより多くのメモリを使います：{detail}',
    cure: 'zram とスワップに対応したカーネルを使うか（`modprobe zram`）、THREADBOX_COMPRESS_FROZEN=off を設定してください。',
  },
  'pool-fine': {
    detail: '{totalBytes:size} 中 {freeBytes:size} が空いており、そのうち {reservedBytes:size} は確保されています。',
    cure: '',
  },
  'pool-full': {
    detail: '{totalBytes:size} 中 {freeBytes:size} が空いており、そのうち {reservedBytes:size} は確保されています。',
    cure: '不要になったスレッドを削除するか、THREADBOX_POOL_SIZE を大きくしてください。',
  },
  'sandbox-fine': { detail: 'サンドボックスの準備が {durationMs:duration}で完了しました。', cure: '' },
  'sandbox-ended-early': { detail: '準備ができた直後に、サンドボックスが停止しました。', cure: tryAgain },
  'network-index-fine': { detail: 'Python のパッケージインデックスが応答しました。', cure: '' },
  'network-url-fine': { detail: '{url} が応答しました。', cure: '' },
  'network-index-unreachable': {
    detail: 'サンドボックスから Python のパッケージインデックスに接続できません：{output}',
    cure: checkNetwork,
  },
  'network-url-unreachable': { detail: 'サンドボックスから {url} に接続できません：{output}', cure: checkNetwork },
  'network-skipped': { detail: 'サンドボックスを起動できませんでした。', cure: '' },
  'check-failed': { detail: '{message}', cure: tryAgain },
}
