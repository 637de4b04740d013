import type { ErrorWords } from '../words.ts'

/** What can go wrong with sign-ins, sessions and API keys. */
export const accountErrors: ErrorWords = {
  'api-key.not-found': {
    message: 'API キーが見つかりません。',
    remedy: 'すでに削除された可能性があります。一覧を再読み込みしてください。',
  },
  'auth.credentials-wrong': {
    message: 'メールアドレスまたはパスワードが正しくありません。',
    remedy: '両方を確認し、Caps Lock がオフになっていることを確認してください。',
  },
  'auth.email-taken': {
    message: 'このメールアドレスのアカウントはすでに存在します。',
    remedy: 'サインインするか、別のアドレスを使ってください。',
  },
  'auth.owner-required': {
    message: 'これはこのインストールのオーナーと管理者だけができます。',
    remedy: 'オーナーか管理者に頼んでください。',
  },
  'auth.owner-token-wrong': {
    message: 'このサインアップ用リンクは、この threadbox では使えません。',
    remedy: '`./threadbox up` が表示した最新のリンクを使ってください。',
  },
  'auth.required': { message: 'サインインが必要です。', remedy: 'サインインしてください。' },
  'auth.confirmation-required': {
    message: 'サインインから 10 分以上経過しているため、もう一度パスワードまたはパスキーが必要です。',
    remedy: '操作をやり直し、本人確認をしてください。',
  },
  'auth.outside-workspaces': {
    message: 'この API キーはワークスペースに限定されており、この操作はその範囲外です。',
    remedy: 'キーのワークスペースの 1 つを指定するか（`workspaceId`）、限定されていないキーを使ってください。',
  },
  'auth.scope-missing': {
    message: 'この API キーにはスコープ「{scope}」がありません。',
    remedy: 'スコープ「{scope}」を持つキーを使用してください。「設定」の「API キー」で作成できます。',
  },
  'auth.password-wrong': {
    message: 'パスワードが正しくありません。',
    remedy: 'パスワードと、Caps Lock がオフであることを確認してください。',
  },
  'auth.session-required': {
    message: 'API キーではこの操作ができません。',
    remedy: 'アプリにサインインして操作してください。',
  },
  'auth.sign-up-closed': {
    message: 'この threadbox にはすでにオーナーがいます。ほかの人はサインアップできません。',
    remedy:
      'オーナーの場合は、サインインしてください。そうでない場合は、スレッドへのリンクをオーナーに頼んでください。',
  },
  'auth.too-many-attempts': {
    message: '試行が多すぎます。{retryAfterSeconds} 秒後にもう一度お試しください。',
    remedy: 'しばらく待ってから、もう一度お試しください。',
  },
  'session.not-found': {
    message: 'セッションが見つかりません。',
    remedy: '終了した可能性があります。一覧を再読み込みしてください。',
  },
}
