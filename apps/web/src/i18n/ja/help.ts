import type { help as source } from '../en/help.ts'
import type { Texts } from '../texts.ts'

export const help: Texts<typeof source> = {
  title: 'キーボードショートカット',
  group: { message: 'メッセージ', app: 'アプリ', thread: 'スレッド' },
  send: '送信。応答中はキューに追加',
  newLine: '改行',
  commands: 'コマンド（メッセージ欄が空のとき）',
  editLast: '最後のメッセージを編集（メッセージ欄が空のとき）',
  escape: '手前の画面を閉じる。なければ応答を停止',
  palette: '検索とコマンド',
  newThread: '新しいスレッド',
  sidebar: 'サイドバーの表示／非表示',
  shortcuts: 'キーボードショートカット',
  nextRegion: '次の領域：サイドバー、会話、メッセージ、パネル',
  rename: 'スレッドの名前を変更',
  preview: 'プレビューの表示／非表示',
  files: 'ファイルの表示／非表示',
  terminal: 'ターミナルの表示／非表示',
  sandbox: 'サンドボックスの表示／非表示',
  git: 'Git の表示／非表示',
}
