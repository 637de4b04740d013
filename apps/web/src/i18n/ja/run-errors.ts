import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about runs of agents and what starts them. */
export const runErrors: ErrorWords = {
  'run.approval-needed': {
    message: 'この実行には {connection} の {tool} の承認が必要でしたが、実行は無人で行われます。',
    remedy: '接続の設定でツールを許可するか、その部分を、承認できるスレッドで行ってください。',
  },
  'run.cell-failed': {
    message: '実行した Python のコードで例外が発生しました。',
    remedy: '実行の出力にあるトレースバックを確認してください。',
  },
  'run.command-failed': {
    message: 'コマンドが終了コード {exitCode} で終了しました。',
    remedy: '理由は出力で確認してください。',
  },
  'run.missed': {
    message: '予定の時刻にサーバーが停止していました（{count} 回、{from} から {to} まで）。',
    remedy: '逃した分を実行するには、スケジュールを「後から 1 回実行する」に設定してください。',
  },
  'run.not-found': {
    message: '実行が見つかりません。',
    remedy: '実行が一覧に残る期間には限りがあります。エージェントの実行を確認してください。',
  },
  'run.overlap': {
    message: 'スケジュールの前回の実行がまだ終わっていませんでした。',
    remedy: '頻度を下げるか、実行を順番に待たせるか、同時に実行できるようにしてください。',
  },
  'run.queue-full': {
    message: '実行のキューがいっぱいです（{limit} 件）。',
    remedy: 'いくつか終わるのを待つか、キャンセルするか、設定で上限を上げてください。',
  },
  'run.stopped': {
    message: '実行が停止されました。',
    remedy: '意図したものでなければ、もう一度実行してください。',
  },
  'run.thread-gone': {
    message: '実行が終わる前に、実行のスレッドが削除されたか、そのメッセージが取り除かれました。',
    remedy: 'もう一度実行してください。',
  },
  'run.trigger-limit': {
    message: 'エージェントに設定できるのは、スケジュール {limit} 個と Webhook {limit} 個までです。',
    remedy: '使わないものを削除してください。',
  },
  'run.trigger-not-found': {
    message: 'スケジュールまたは Webhook が見つかりません。',
    remedy: '削除された可能性があります。エージェントを再読み込みしてください。',
  },
  'schedule.cron-invalid': {
    message: 'この cron 式は無効です：{cron}',
    remedy: '分、時、日、月、曜日の 5 項目で指定してください。例：`30 7 * * 1-5`',
  },
  'schedule.never-due': {
    message: 'このスケジュールでは一度も実行されません：{cron}',
    remedy: '存在する日を選んでください。',
  },
  'schedule.time-zone-invalid': {
    message: '不明なタイムゾーンです：{timeZone}',
    remedy: 'Asia/Tokyo や UTC のような名前を使ってください。',
  },
  'webhook.disabled': { message: 'この Webhook はオフになっています。', remedy: 'アプリでオンにしてください。' },
  'webhook.headers-missing': {
    message: 'リクエストには webhook-id、webhook-timestamp、webhook-signature のヘッダーが必要です。',
    remedy: 'docs/runs.md のとおりに署名してください。',
  },
  'webhook.out-of-time': {
    message: 'リクエストのタイムスタンプが、サーバーの時刻から {toleranceSeconds} 秒を超えてずれています。',
    remedy: 'リクエストは送信するときに署名し、送信側の時計を確認してください。',
  },
  'webhook.refused': {
    message: 'Webhook が存在しないか、署名がシークレットと一致しません。',
    remedy: 'URL とシークレットを確認し、`<webhook-id>.<webhook-timestamp>.<body>` に正確に署名してください。',
  },
  'webhook.replayed': {
    message: 'この webhook-id のリクエストはすでに受け付けられているため、実行は開始されませんでした。',
    remedy: 'イベントごとに異なる ID を使ってください。',
  },
}
