import type { ErrorWords } from '../words.ts'

/** What can go wrong with invites, people and their roles. */
export const peopleErrors: ErrorWords = {
  'auth.account-disabled': {
    message: 'あなたのアカウントは無効です。',
    remedy: 'オーナーまたは管理者に有効にしてもらってください。',
  },
  'invite.for-other': {
    message: 'この招待は別のメールアドレス宛てです。',
    remedy: '招待が届いたアドレスを使うか、新しい招待を頼んでください。',
  },
  'invite.invalid': {
    message: 'このリンクは使えません。使用済み、取り消し済み、差し替え済み、または期限切れです。',
    remedy: '送った人に新しいリンクを頼んでください。',
  },
  'invite.limit': {
    message: '有効な招待がすでに {limit} 件あります。',
    remedy: 'どれかを取り消すか、複数の人が使える招待を作成してください。',
  },
  'invite.not-found': {
    message: '招待が見つかりません。',
    remedy: '使用済みか期限切れかもしれません。一覧を読み込み直してください。',
  },
  'person.not-found': {
    message: 'この人は見つかりません。',
    remedy: 'すでに抜けたのかもしれません。一覧を読み込み直してください。',
  },
  'person.protected': {
    message: 'この人のアカウントや権限は変更できません。',
    remedy: '管理者が変更できるのはメンバーです。それ以外はオーナーに頼んでください。',
  },
  'thread.creator-outside': {
    message: 'スレッドの作成者がそのワークスペースを見られないため、スレッドを失ってしまいます。',
    remedy: '先に作成者をワークスペースに追加するか、本人に移動してもらってください。',
  },
  'thread.creator-required': {
    message: 'これはスレッドの作成者だけができます。',
    remedy: '作成者に頼むか、スレッドを別のワークスペースに移動してください。',
  },
  'thread.private-outside': {
    message: '非公開にできるのはワークスペース内のスレッドだけです。外にあるものはもともと非公開です。',
    remedy: '先にワークスペースへ移動してください。',
  },
  'thread.shared-with-others': {
    message: 'ほかの人も作業できるスレッドなので、あなたのシークレット、Git 認証情報、接続は使えません。',
    remedy: '先にスレッドを非公開にしてください。',
  },
  'workspace.member-not-found': {
    message: 'この人は存在しないか、このワークスペースにいません。',
    remedy: '一覧を読み込み直してください。',
  },
  'workspace.owner-missing': {
    message: 'ワークスペースにはオーナーが必要で、ほかにオーナーがいません。',
    remedy: '先に別のメンバーをオーナーにするか、ワークスペースを削除してください。',
  },
  'workspace.role-missing': {
    message: 'このワークスペースでのあなたの権限ではできません。',
    remedy: 'ワークスペースのオーナーに頼んでください。',
  },
  'run.person-disabled': {
    message: '実行の対象となる人のアカウントが無効です。',
    remedy: 'ほかの人にスケジュールや Webhook を保存してもらうと、その人のために実行されます。',
  },
  'usage.others-hidden': {
    message: '全員の使用量を見られるのはオーナーと管理者だけです。',
    remedy: '自分の使用量を見るか、管理者に尋ねてください。',
  },
  'usage.period-invalid': {
    message: '期間の終わりが始まりより前か、期間が長すぎます。',
    remedy: '{days} 日以内で選んでください。',
  },
  'quota.spend-used-up': {
    message: '今月は、モデルに使える {limit} USD のうち {used} USD を使いました。',
    remedy: '上限は {resets} に再開します。設定の「使用量」で追加を依頼できます。',
  },
  'quota.installation-spend-used-up': {
    message: '今月は、このインストールでモデルに使える {limit} USD を使い切りました。',
    remedy: '上限は {resets} に再開します。オーナーと管理者は上限を上げられます。',
  },
  'quota.model-unpriced': {
    message: '{model} には価格がないため、モデルの上限で数えられません。',
    remedy: '別のモデルに切り替えるか、管理者に価格の入力を依頼してください。',
  },
  'machine.sandbox-unknown': {
    message: 'このIDのサンドボックスはありません。',
    remedy: '「マシン」のページを再読み込みしてください。サンドボックスは削除された可能性があります。',
  },
  'quota.preset-not-found': {
    message: '上限のセットが見つかりません。',
    remedy: '一覧を再読み込みしてください。',
  },
  'quota.preset-name-taken': {
    message: '{name} という名前のセットはすでにあります。',
    remedy: '別の名前を選んでください。',
  },
  'quota.preset-is-default': {
    message: 'ほかのセットがないメンバーには、このセットが適用されます。',
    remedy: '代わりに上限を変更してください。',
  },
  'quota.request-not-found': {
    message: '依頼が見つかりません。',
    remedy: 'すでに処理された可能性があります。一覧を再読み込みしてください。',
  },
  'quota.request-open': {
    message: 'すでに追加を依頼しています。',
    remedy: '管理者の判断を待ってください。',
  },
  'model.fallback-invalid': {
    message: '引き継ぐモデルは、接続済みの別のモデルを 1 回ずつ指定してください。',
    remedy: 'モデルの一覧からほかのものを選んでください。',
  },
  'quota.place-awaited': {
    message: '稼働中のサンドボックスが上限 {limit} 個のうち {used} 個あり、空きができませんでした。',
    remedy:
      'どれかを一時停止するか、{retryAfterSeconds} 秒後にもう一度試すか、設定の「使用量」で追加を依頼してください。',
  },
  'quota.sandboxes-used-up': {
    message: 'サンドボックスが {used} 個あり、上限は {limit} 個です。',
    remedy: '不要なスレッドを削除するか、設定の「使用量」で追加を依頼してください。',
  },
  'quota.disk-used-up': {
    message:
      'サンドボックスが {limitGiB} GiB 中 {usedGiB} GiB を使用しています。最大は {largest} の {largestGiB} GiB です。',
    remedy: '稼働中のサンドボックスのファイルかスレッドを削除するか、設定の「使用量」で追加を依頼してください。',
  },
  'quota.requests-used-up': {
    message: 'しばらくの間、上限である 1 秒あたり {limit} 件を超えるリクエストが送信されました。',
    remedy: '{retryAfterSeconds} 秒後にもう一度試すか、設定の「使用量」で追加を依頼してください。',
  },
  'quota.awake-used-up': {
    message: '稼働中のサンドボックスが {limit} 個で、上限に達しています。',
    remedy: 'どれかを一時停止するか、空くまで待つか、設定の「使用量」で追加を依頼してください。',
  },
  'person.not-disabled': {
    message: 'この人のアカウントは無効になっていません。',
    remedy: '先にアカウントを無効にしてください。',
  },
  'person.recipient-invalid': {
    message: 'この人は受け取れません。',
    remedy: 'アカウントが無効でない別の人を選んでください。',
  },
  'person.leaving': {
    message: 'この人のデータは引き継ぎ中または削除中です。',
    remedy: '終わるまでお待ちください。',
  },
  'person.owner-leaves': {
    message: 'オーナーのアカウントは削除できません。',
    remedy: '先に所有権を引き継いでください。',
  },
  'person.being-erased': {
    message: 'この人のアカウントは削除中です。',
    remedy: '再び有効にすることはできません。新しいアカウントを作るよう招待してください。',
  },
  'ownership.not-offered': {
    message: '所有権の引き継ぎは提案されていません。',
    remedy: '提案は期限切れか、取り消された可能性があります。オーナーにもう一度依頼してください。',
  },
  'export.sandbox-asleep': {
    message: 'サンドボックスの休止中はファイルを読み込めませんでした。',
    remedy: 'サンドボックスを再開してから、もう一度エクスポートしてください。',
  },
}
