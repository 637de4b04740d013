import type { passkeys as source } from '../en/passkeys.ts'
import type { Texts } from '../texts.ts'

export const passkeys: Texts<typeof source> = {
  title: 'パスキー',
  lead: 'パスワードなしで、デバイスの PIN、指紋、顔認証でサインインできます。',
  empty: 'パスキーはまだありません。',
  needed: 'ここではオーナーと管理者にパスキーが必要です。追加するまでは、メンバーと同じ操作だけができます。',
  added: '追加：{{when}}',
  used: '最終使用：{{when}}',
  neverUsed: '未使用',
  otherHost: '{{host}} でのみ使えます。',
  add: 'パスキーを追加',
  addTitle: 'パスキーを追加',
  addText: '保存先のデバイスやパスワードマネージャーの名前を付けてください。次にブラウザーが確認します。',
  addAction: '続ける',
  adding: 'デバイスを待っています',
  name: '名前',
  rename: '名前を変更',
  renameOf: '{{name}} の名前を変更',
  renameText: 'この名前は一覧でのみ使われます。',
  save: '保存',
  saving: '保存中',
  remove: '削除',
  removeOf: '{{name}} を削除',
  removeTitle: '{{name}} を削除しますか？',
  removeText:
    'このパスキーではサインインできなくなります。使用中のセッションはそのまま残ります。デバイスからも削除してください。',
  removing: '削除中',
  or: 'または',
  use: 'パスキーを使う',
  unavailable: {
    insecure: 'パスキーには https が必要です。このページは http で開かれています。',
    address:
      'IP アドレスではパスキーを使えません。threadbox を名前で開くか、このマシンでは localhost として開いてください。',
    browser: 'このブラウザーはパスキーに対応していません。',
  },
  failure: {
    canceled: 'パスキーは使われませんでした。キャンセルされたか、時間切れです。もう一度試してください。',
    known: 'このデバイスには、すでにこのアカウントのパスキーがあります。別のデバイスを使ってください。',
    unsupported:
      'このデバイスでは本人確認ができません。PIN、指紋、または顔認証を設定してから、もう一度試してください。',
    failed: 'ブラウザーはここでパスキーを使えませんでした。もう一度試すか、別のデバイスを使ってください。',
  },
}
