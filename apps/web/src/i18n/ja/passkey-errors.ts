import type { ErrorWords } from '../words.ts'

/** Errors of passkeys. */
export const passkeyErrors: ErrorWords = {
  'auth.passkey-required': {
    message: 'この操作には、オーナーと管理者のパスキーが必要ですが、まだありません。',
    remedy: '「設定」の「アカウント」で追加してから、もう一度試してください。',
  },
  'setting.own-passkey-missing': {
    message: '自分のパスキーがない間は、パスキーを必須にできません。自分が操作できなくなります。',
    remedy: '「設定」の「アカウント」でパスキーを追加してから、設定を変更してください。',
  },
  'passkey.not-found': {
    message: 'パスキーが見つかりません。',
    remedy: 'すでに削除された可能性があります。一覧を再読み込みしてください。',
  },
  'passkey.host-unsuitable': {
    message: 'アドレス {host} ではパスキーを使えません。',
    remedy:
      'threadbox を固有の名前で、https または `localhost` として開いてください。IP アドレスと、プレビューが共有する名前では使えません。',
  },
  'passkey.challenge-expired': {
    message: 'このパスキーの要求はもう有効ではありません。5 分以内に一度だけ使えます。',
    remedy: 'もう一度試してください。',
  },
  'passkey.other-browser': {
    message: 'このパスキーの要求は別のブラウザーで作られました。',
    remedy: 'Cookie を許可して、このブラウザーでもう一度試してください。',
  },
  'passkey.origin-wrong': {
    message: 'パスキーがこのページ以外で使われました。',
    remedy: 'threadbox のページでのみ使ってください。ほかで使った覚えがなければ、オーナーに知らせてください。',
  },
  'passkey.host-wrong': {
    message: 'このパスキーは別のアドレスのものです。',
    remedy: 'このアドレスで追加したものを使うか、パスワードでサインインして追加してください。',
  },
  'passkey.not-verified': {
    message: 'デバイスが本人確認をしませんでした。',
    remedy: 'デバイスに PIN、指紋、または顔認証を設定してから、もう一度試してください。',
  },
  'passkey.unknown': {
    message: 'このパスキーはここでは登録されていません。',
    remedy: '削除された可能性があります。別のものを使うか、パスワードでサインインしてください。',
  },
  'passkey.invalid': {
    message: 'デバイスが送ったものは、有効なパスキーの応答ではありません。',
    remedy: 'もう一度試すか、別のパスキーを使ってください。',
  },
  'passkey.counter-behind': {
    message: 'このパスキーの使用回数が、threadbox の記録より少なくなっています。複製がある可能性があります。',
    remedy: 'パスワードでサインインし、このパスキーを削除して、新しいものを追加してください。',
  },
  'passkey.already-added': {
    message: 'このパスキーはすでに追加されています。',
    remedy: '別のデバイスを使うか、一覧にあるパスキーを使ってください。',
  },
  'passkey.limit': {
    message: 'パスキーがすでに {limit} 個あります。',
    remedy: '使っていないものを削除してください。',
  },
}
