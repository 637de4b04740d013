import type { ErrorWords } from '../words.ts'
import { accountErrors } from './account-errors.ts'
import { agentErrors } from './agent-errors.ts'
import { backupErrors } from './backup-errors.ts'
import { callErrors } from './call-errors.ts'
import { connectionErrors } from './connection-errors.ts'
import { machineErrors } from './machine-errors.ts'
import { networkErrors } from './network-errors.ts'
import { passkeyErrors } from './passkey-errors.ts'
import { peopleErrors } from './people-errors.ts'
import { previewErrors } from './preview-errors.ts'
import { runErrors } from './run-errors.ts'
import { sandboxErrors } from './sandbox-errors.ts'
import { secretErrors } from './secret-errors.ts'
import { signInErrors } from './sign-in-errors.ts'
import { skillErrors } from './skill-errors.ts'
import { snapshotErrors } from './snapshot-errors.ts'
import { socketErrors } from './socket-errors.ts'

/** Sentences for the errors that a person can meet in the app, by code. `{name}` is a detail of the error. */
export const errors: ErrorWords = {
  ...accountErrors,
  ...agentErrors,
  ...backupErrors,
  ...callErrors,
  ...sandboxErrors,
  ...machineErrors,
  ...networkErrors,
  ...passkeyErrors,
  ...peopleErrors,
  ...signInErrors,
  ...previewErrors,
  ...runErrors,
  ...secretErrors,
  ...socketErrors,
  ...skillErrors,
  ...snapshotErrors,
  'attachment.not-found': {
    message: 'この ID の添付ファイルは、このスレッドにありません。',
    remedy: 'ファイルをもう一度アップロードしてください。',
  },
  'call.not-found': {
    message: '呼び出しがこのスレッドに見つかりません。',
    remedy: '会話を再読み込みしてください。呼び出しが取り除かれた可能性があります。',
  },
  'call.not-repeatable': {
    message: '{tool} の呼び出しを再実行することはできません。',
    remedy: '再実行できるのは、コマンドと Python のコードです。それ以外はエージェントに頼んでください。',
  },
  ...connectionErrors,
  'file.changed': {
    message: '{path} は読み込んだ後に変更されたため、上書きしませんでした。',
    remedy: 'もう一度読み込んで変更をやり直すか、別の名前で保存してください。',
  },
  'file.exists': {
    message: '{path} はすでに存在します。',
    remedy: '別の名前を使うか、先に削除してください。',
  },
  'file.is-directory': {
    message: '{path} はファイルではなくフォルダーです。',
    remedy: '中のファイルを開いてください。',
  },
  'file.not-found': { message: '{path} は存在しません。', remedy: 'パスを確認してください。' },
  'file.folder-protected': {
    message: '{path} は削除も移動もできません。サンドボックスに必要なフォルダーです。',
    remedy: '代わりに中身を削除してください。',
  },
  'file.path-taken': {
    message: '{path} はすでに存在します。',
    remedy: '別の名前を選ぶか、先に既存のものを削除してください。',
  },
  'file.range-outside': {
    message: '要求された範囲が {path}（{sizeBytes} バイト）の外にあります。',
    remedy: 'ファイルを再読み込みしてください。',
  },
  'file.refused': {
    message: '{path} を使えません：{problem}',
    remedy: 'パスとその権限を確認してください。',
  },
  'guest.answer-unknown': {
    message: 'サンドボックスが、threadbox に理解できない応答を送りました：{problem}。',
    remedy: 'もう一度お試しください。続く場合は、サンドボックスを再起動してください。',
  },
  'guest.not-responding': {
    message: 'サンドボックスは動作していますが、{seconds} 秒以内に応答しませんでした。',
    remedy: 'もう一度お試しください。続く場合は、サンドボックスを再起動してください。',
  },
  'host.preparing': {
    message: 'サンドボックスはまだ起動できません。ホストが {what} を準備しています。',
    remedy: '数分後にもう一度お試しください。終わらない場合は、`./threadbox logs host` を確認してください。',
  },
  'gateway.guest-failed': {
    message: 'サンドボックスのゲストデーモンが要求を処理できませんでした: {reason}',
    remedy: 'もう一度お試しください。続く場合は、サンドボックスを再起動してください。',
  },
  'gateway.path-unknown': {
    message: 'ゲートウェイにパス {path} はありません。',
    remedy: 'サーバー、ホストデーモン、ゲートウェイのバージョンをそろえてください。',
  },
  'gateway.response-unknown': {
    message: 'ゲートウェイの応答（{status}）を解釈できません。',
    remedy:
      'ゲートウェイとホストデーモンのバージョンが異なる可能性があります。threadbox を再起動してください。続く場合は `threadbox logs` を確認してください。',
  },
  'gateway.unreachable': {
    message: 'サンドボックスへのゲートウェイが応答していません。',
    remedy: 'まだ起動中の可能性があります。続く場合は、サーバーで `threadbox doctor` を実行してください。',
  },
  'host.unreachable': {
    message: 'ホストデーモンが応答していません。',
    remedy: 'まだ起動中の可能性があります。続く場合は、サーバーで `threadbox doctor` を実行してください。',
  },
  'internal.unexpected': {
    message: '問題が発生しました。',
    remedy: 'もう一度お試しください。続く場合は、`threadbox logs` でリクエスト ID を探してください。',
  },
  'machine.disk-full': {
    message: 'ホストのディスクがいっぱいのため、新しいものを保存できません。',
    remedy: 'データフォルダーのあるディスクの空きを増やしてから（`df -h` で確認できます）、もう一度お試しください。',
  },
  'message.empty': {
    message: 'メッセージにテキストも添付ファイルもありません。',
    remedy: '何か入力するか、ファイルを添付してください。',
  },
  'message.screenshot-not-a-picture': {
    message: 'スクリーンショットの情報「{attachmentId}」に対応する画像が、このメッセージに添付されていません。',
    remedy: '画像を PNG、JPEG、WebP のいずれかでアップロードし、その ID を attachmentIds に含めてください。',
  },
  'message.not-delivered': {
    message: 'メッセージはまだ待機中です。',
    remedy: 'キューの中で編集してください。',
  },
  'message.not-found': {
    message: 'メッセージがこのスレッドに見つかりません。',
    remedy: '会話を再読み込みしてください。メッセージが取り除かれた可能性があります。',
  },
  'message.not-queued': {
    message: 'メッセージはもう待機していません。',
    remedy: '送信されたか、取り除かれました。送信されたメッセージは、編集してもう一度送信できます。',
  },
  'model.address-missing': {
    message: 'OpenAI 互換のサーバーにはベース URL が必要です。',
    remedy: 'ベース URL を入力してください。例：http://127.0.0.1:8000/v1',
  },
  'model.key-missing': {
    message: '{provider} には API キーが必要です。',
    remedy: 'キーを入力するか、サーバーの環境変数に {variable} を設定してください。',
  },
  'model.key-not-for-address': {
    message: '{variable} の API キーは、{provider} 自身のアドレスにのみ送信されます。',
    remedy: 'このアドレス用のキーを入力してください。',
  },
  'model.none-connected': {
    message: 'モデルが接続されていません。',
    remedy: '設定で接続するか、モデルの要らない /run と /python を使ってください。',
  },
  'model.not-found': { message: 'モデルが見つかりません。', remedy: 'モデルの一覧から選んでください。' },
  'model.owner-only': {
    message: 'モデルを変更できるのは、このインストールのオーナーと管理者だけです。',
    remedy: 'オーナーか管理者に頼んでください。',
  },
  'output.not-found': {
    message: '出力がこのスレッドに見つかりません。',
    remedy: '会話を再読み込みしてください。出力が取り除かれた可能性があります。',
  },
  'queue.changed': {
    message: 'キューが変わったため、新しい順序がメッセージと一致しません。',
    remedy: '会話を再読み込みし、現在のキューを並べ替えてください。',
  },
  'queue.full': {
    message: 'スレッドで待機できるメッセージは {limit} 件までです。',
    remedy: 'いくつか送信されるのを待つか、取り消してください。',
  },
  'report.not-found': {
    message: 'レポートがこのスレッドに見つかりません。',
    remedy: '最新のレポートは GET /api/v1/threads/{id}/sandbox に含まれています。',
  },
  'request.host-refused': {
    message: 'この threadbox は、ホスト名 {host} では応答しません。',
    remedy: '本来の名前で開くか、`--host` または `--domain` でこの名前を追加してください。',
  },
  'request.invalid': {
    message: 'リクエストが無効です：{problems}',
    remedy: 'これらの項目を修正し、もう一度送ってください。',
  },
  'request.not-text': {
    message: 'リクエストに、テキストではないバイトまたは文字が含まれています。',
    remedy: 'それらを取り除いてください。テキスト以外の内容は、ファイルとしてアップロードしてください。',
  },
  'request.origin-refused': {
    message: 'リクエストが別の Web サイトから送られたため、拒否しました。',
    remedy: 'アプリ自体を使ってください。プログラムでは API キーを使ってください。',
  },
  'request.too-large': {
    message: 'リクエストの本文が {limitBytes} バイトを超えています。',
    remedy: '一度に送る量を減らすか、大きな内容はファイルとしてアップロードしてください。',
  },
  'rescued.not-found': {
    message: 'このプロセスは、スレッドの最新のレポートにありません。',
    remedy: '再起動できるのは、最後の起動でメモリが失われたときに終了したプロセスだけです。',
  },
  'result.not-found': {
    message: '結果がこのスレッドに見つかりません。',
    remedy: '会話を再読み込みしてください。',
  },
  'sandbox.disk-full': {
    message: '{path} に書き込めませんでした。サンドボックスのディスクがいっぱいです。',
    remedy: 'サンドボックスのファイルを削除するか、設定でディスクの上限を上げてください。',
  },
  'sandbox.hold-invalid': {
    message: 'サンドボックスの稼働を続けられるのは {days} 日間までです。',
    remedy: '{days} 日以内の日時を選んでください。',
  },
  'sandbox.not-awake': {
    message: 'この操作にはサンドボックスの稼働が必要です。現在の状態：{state}。',
    remedy: '先に復帰させてください。',
  },
  'sandbox.not-ready': {
    message: 'サンドボックスの準備ができていません。現在の状態：{state}。',
    remedy: '少し待ってからもう一度お試しください。',
  },
  'sandbox.turn-running': {
    message: 'エージェントの応答中は、サンドボックスを一時停止できません。',
    remedy: '終わるまで待つか、先に停止してください。',
  },
  'sandbox.wait-given-up': {
    message: 'サンドボックスの起動を待っている間に、リクエストがキャンセルされました。',
    remedy: 'リクエストをもう一度送ってください。',
  },
  'secret.unreadable': {
    message: '保存されたシークレットを復号できません。別のマスターキーで暗号化されています。',
    remedy: 'データベースと同じバックアップから `master.key` を復元するか、シークレットをもう一度入力してください。',
  },
  'server.answer-unknown': {
    message: 'サーバーがステータス {status} で応答しましたが、詳細がありません。',
    remedy: 'サーバーの代わりにプロキシが応答した可能性があります。もう一度お試しください。',
  },
  'server.unreachable': {
    message: 'サーバーが応答しませんでした。',
    remedy: '接続を確認し、もう一度お試しください。',
  },
  'service.failed': {
    message: 'サービス「{name}」が動作していません：{problem}',
    remedy: '最後の出力を読み、原因を取り除いてから、もう一度起動してください。',
  },
  'service.limit-reached': {
    message: 'スレッドのサービスは {max} 個までです。',
    remedy: 'サービスを停止または削除するか、設定またはこのスレッドで maxServices を上げてください。',
  },
  'service.not-found': {
    message: 'この名前のサービスは、このスレッドにありません。',
    remedy: 'スレッドのサービスの一覧で名前を確認してください。',
  },
  'service.refused': {
    message: 'サービス「{name}」を起動できませんでした：{problem}',
    remedy: 'リクエストを修正し、もう一度起動してください。',
  },
  'service.unanswered': {
    message: 'サンドボックスが、サービス「{name}」についてのリクエストに応答しませんでした。',
    remedy: '状態を確認し、少し待ってからもう一度お試しください。',
  },
  'service.unsupported': {
    message: 'このサンドボックスは、サービスのない古いバージョンで動いています。',
    remedy: 'サンドボックスを再起動してください。ファイルは残ります。',
  },
  'share-link.limit-reached': {
    message: 'スレッドのリンクは {max} 個までです。',
    remedy: '先にリンクを 1 つ無効にしてください。',
  },
  'share-link.not-found': {
    message: 'リンクがこのスレッドに見つかりません。',
    remedy: 'スレッドのリンクの一覧を確認してください。このリンクは期限が切れた可能性があります。',
  },
  'setting.unknown': {
    message: 'ここで変更できる設定に {name} はありません。',
    remedy: '一覧を再読み込みしてください。',
  },
  'setting.value-invalid': {
    message: '{name} にこの値は使えません：{problem}',
    remedy: '設定の範囲内の値を選ぶか、既定値にする場合は空にしてください。',
  },
  'thread.not-found': {
    message: 'スレッドが見つかりません。',
    remedy: '削除された可能性があります。サイドバーから別のスレッドを開くか、新しいスレッドを始めてください。',
  },
  'thread.undo-over': {
    message: 'このスレッドはもう元に戻せません。元に戻せる時間が過ぎ、サンドボックスを削除しています。',
    remedy: '新しいスレッドを始めてください。',
  },
  'turn.not-repeatable': {
    message: 'このスレッドに、やり直せる応答はありません。',
    remedy: 'メッセージを送ってください。',
  },
  'turn.running': {
    message: 'エージェントの応答中は、この操作ができません。',
    remedy: '終わるまで待つか、先に停止してください。',
  },
  'upload.interrupted': {
    message: 'ファイル全体が届く前に、アップロードが中断されました。何も保存されていません。',
    remedy: 'ファイルをもう一度アップロードしてください。',
  },
  'upload.no-space': {
    message: 'サーバーのディスクがいっぱいのため、ファイルを保存できませんでした。',
    remedy: 'サーバーの空きを増やすか、小さいファイルをアップロードしてください。',
  },
  'workspace.archived': {
    message: 'ワークスペース {name} はアーカイブ済みで、新しいスレッドを追加できません。',
    remedy: '先にアーカイブを解除してください。',
  },
  'workspace.name-taken': {
    message: '{name} という名前のワークスペースはすでに存在します。',
    remedy: '別の名前を選ぶか、既存のワークスペースの名前を変更してください。',
  },
  'workspace.not-found': {
    message: 'ワークスペースが見つかりません。',
    remedy: '削除された可能性があります。サイドバーから別のワークスペースを選んでください。',
  },
  'workspace.place-invalid': {
    message: 'ワークスペースを、そのワークスペース自身の前に移動することはできません。',
    remedy: '移動先の直後になる別のワークスペースを指定するか、末尾に移動する場合は null を指定してください。',
  },
  'workspace.undo-over': {
    message: 'このワークスペースはもう元に戻せません。元に戻せる時間が過ぎ、スレッドを削除しています。',
    remedy: '新しいワークスペースを作成してください。',
  },
}
