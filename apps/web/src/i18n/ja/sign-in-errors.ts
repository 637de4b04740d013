import type { ErrorWords } from '../words.ts'

/** What can go wrong when people sign in at a provider. */
export const signInErrors: ErrorWords = {
  'sign-in.owner-only': {
    message: 'サインインの方法を変更できるのは、このインストールのオーナーだけです。',
    remedy: 'オーナーに依頼してください。',
  },
  'sign-in.provider-not-found': {
    message: 'プロバイダーが見つかりません。',
    remedy: '削除された可能性があります。ページを再読み込みしてください。',
  },
  'sign-in.issuer-taken': {
    message: 'この発行者のプロバイダーはすでにあります。',
    remedy: 'そのプロバイダーを編集してください。',
  },
  'sign-in.provider-limit': {
    message: 'プロバイダーはすでに {limit} 個あります。',
    remedy: '先に 1 つ削除してください。',
  },
  'sign-in.settings-invalid': {
    message: 'これらの設定は両立しません: {problem}',
    remedy: '修正してもう一度保存してください。',
  },
  'sign-in.identity-not-found': {
    message: 'このサインインは接続されていません。',
    remedy: '一覧を再読み込みしてください。',
  },
  'sign-in.identity-other': {
    message: 'プロバイダーで、ここのアカウントに接続されているものとは別のアカウントにサインインしました。',
    remedy: '接続されているアカウントでやり直してください。「設定」の「アカウント」に表示されています。',
  },
  'sign-in.identity-taken': {
    message: 'プロバイダーのこのアカウントは、ここでは別のユーザーに接続されています。',
    remedy: 'プロバイダーに別のアカウントでサインインするか、先に別のユーザーから切断してください。',
  },
  'sign-in.last-way': {
    message: 'これが唯一のサインイン方法なので、サインインできなくなります。',
    remedy: '先に別の方法を接続するか、パスワードを設定するリンクを依頼してください。',
  },
  'sign-in.return-refused': {
    message: 'サインイン後に開けるのは、このアプリのページだけです。',
    remedy: '別のサイトのアドレスを付けずに、サインインページを開き直してください。',
  },
  'sign-in.state-unknown': {
    message: 'このサインインはすでに完了したか、10 分を超えました。',
    remedy: 'サインインページからやり直してください。',
  },
  'sign-in.state-foreign': {
    message: 'このサインインは別のブラウザーで開始されたか、その後ここで別のサインインが開始されました。',
    remedy: 'このブラウザーで、サインインページからやり直してください。',
  },
  'sign-in.declined': {
    message: 'プロバイダーでサインインできませんでした。',
    remedy: 'もう一度試すか、このアプリを使えるかプロバイダーの管理者に確認してください。',
  },
  'sign-in.closed': {
    message:
      'プロバイダーのアカウントはここではどのユーザーにも接続されておらず、この方法で新しく参加することはできません。',
    remedy: 'パスワードでサインインして設定の「あなた」で接続するか、オーナーに依頼してください。',
  },
  'sign-in.invite-needed': {
    message: '参加するには招待が必要です。',
    remedy: 'オーナーまたは管理者に依頼し、このブラウザーで開いて、そこでプロバイダーを選んでください。',
  },
  'sign-in.domain-refused': {
    message: 'メールアドレスのドメインからは参加できません。',
    remedy: 'プロバイダーに別のアドレスでサインインするか、招待を依頼してください。',
  },
  'sign-in.group-missing': {
    message: 'このアプリを使えるグループに入っていません。',
    remedy: 'プロバイダーの管理者に追加を依頼してください。',
  },
  'sign-in.email-missing': {
    message: 'ここのアカウントに必要なメールアドレスを、プロバイダーが伝えませんでした。',
    remedy: 'このアプリにスコープ `email` を許可するよう、プロバイダーの管理者に依頼してください。',
  },
  'sign-in.email-unverified': {
    message: 'プロバイダーがメールアドレスを確認していません。',
    remedy: 'プロバイダーで確認してから、もう一度サインインしてください。',
  },
  'sign-in.email-taken': {
    message: 'このメールアドレスのアカウントがすでにあり、プロバイダーに接続されていません。',
    remedy: 'そのアカウントにサインインし、設定の「あなた」でプロバイダーを接続してください。',
  },
  'sign-in.account-protected': {
    message: 'オーナーと管理者のアカウントは、メールアドレスでは接続されません。',
    remedy: 'パスワードでサインインし、設定の「あなた」でプロバイダーを接続してください。',
  },
  'sign-in.provider-unreachable': {
    message: 'プロバイダーが応答しません。',
    remedy: '後でもう一度試すか、パスワードでサインインしてください。',
  },
  'sign-in.provider-slow': {
    message: 'プロバイダーの応答に時間がかかりすぎました。',
    remedy: '後でもう一度試すか、パスワードでサインインしてください。',
  },
  'sign-in.answer-too-large': {
    message: 'プロバイダーの応答が 1 MiB を超えたため、中断されました。',
    remedy: 'このインストールのオーナーに伝えてください。プロバイダーの設定とここの設定が一致していません。',
  },
  'sign-in.address-refused': {
    message: 'プロバイダーのアドレスがプライベートネットワーク内にあるか、暗号化されていません。',
    remedy: 'システム管理者は THREADBOX_CONNECTIONS_ALLOW で許可できます。',
  },
  'sign-in.provider-invalid': {
    message: 'プロバイダーの応答は OpenID Connect の発行者のものではありません。',
    remedy: '発行者のアドレスを確認してください。その下の `/.well-known/openid-configuration` を読み込みます。',
  },
  'sign-in.issuer-wrong': {
    message: 'サインインした発行者とは別の発行者からの応答です。',
    remedy: 'このインストールのオーナーに伝えてください。プロバイダーの設定とここの設定が一致していません。',
  },
  'sign-in.client-refused': {
    message: 'プロバイダーがこのインストールのクライアント ID またはクライアントシークレットを受け付けません。',
    remedy: 'このインストールのオーナーに伝えてください。プロバイダーの設定とここの設定が一致していません。',
  },
  'sign-in.code-refused': {
    message: 'プロバイダーによると、このサインインは使用済みか、無効になっています。',
    remedy: 'サインインページからやり直してください。',
  },
  'sign-in.nonce-wrong': {
    message: 'プロバイダーの応答は別のサインインのものです。',
    remedy: 'もう一度試してください。続く場合は、このインストールのオーナーに伝えてください。',
  },
  'sign-in.audience-wrong': {
    message: 'プロバイダーの応答は別のアプリ向けです。',
    remedy: 'このインストールのオーナーに伝えてください。プロバイダーの設定とここの設定が一致していません。',
  },
  'sign-in.algorithm-refused': {
    message: 'プロバイダーの応答には、送信元を証明する署名がありません。',
    remedy:
      'プロバイダーは ID トークンに `none` や HS256 ではなく、RS256 や ES256 などの鍵ペアで署名する必要があります。',
  },
  'sign-in.signature-wrong': {
    message: 'プロバイダーの応答の署名が正しくありません。',
    remedy: 'もう一度試してください。続く場合は、このインストールのオーナーに伝えてください。',
  },
  'sign-in.token-expired': {
    message: 'プロバイダーの応答は期限切れか、未来の時刻です。',
    remedy: 'もう一度試してください。続く場合は、両方のマシンの時計を確認する必要があります。',
  },
  'sign-in.token-invalid': {
    message: 'プロバイダーの応答が不完全か、矛盾しています。',
    remedy: 'このインストールのオーナーに伝えてください。プロバイダーの設定とここの設定が一致していません。',
  },
  'sign-in.groups-overage': {
    message: '所属するグループが多すぎて、プロバイダーの応答に入りません。',
    remedy: 'プロバイダーで、クレームをこのアプリに割り当てたグループに限定するか、アプリロールを使ってください。',
  },
  'sign-in.groups-unreadable': {
    message: 'グループのクレームが、テキストでもテキストの一覧でもありません。',
    remedy: 'クレームのパスを確認してください。',
  },
  'sign-in.logout-refused': {
    message: 'このログアウトトークンは受け付けられません: {problem}',
    remedy:
      'OpenID Connect Back-Channel Logout 1.0 に従って、このプロバイダーの新しいログアウトトークンを送信してください。',
  },
}
