import type { search as source } from '../en/search.ts'
import type { Texts } from '../texts.ts'

export const search: Texts<typeof source> = {
  label: '検索とコマンド',
  placeholder: 'スレッド、メッセージ、コマンド、ファイルを検索',
  actions: '操作',
  inThread: 'このスレッド',
  threads: 'スレッド',
  recent: '最近のスレッド',
  where: { title: 'タイトル', text: 'メッセージ', command: 'コマンド', file: 'ファイル' },
  action: {
    agents: 'エージェント',
    newThread: '新しいスレッド',
    sidebar: 'サイドバーの表示／非表示',
    settings: '設定',
    connectModel: 'モデルを接続',
    skills: 'スキル',
    apiKeys: 'API キー',
    shortcuts: 'キーボードショートカット',
    themeLight: 'ライトテーマを使う',
    themeDark: 'ダークテーマを使う',
    themeSystem: 'システムのテーマを使う',
    signOut: 'サインアウト',
  },
  searching: '検索中',
  nothing: '「{{query}}」に一致するものはありません。',
  nothingHint: 'タイトル、メッセージ、コマンド、ファイル名を検索しました。',
  failed: '検索に失敗しました。上の結果は、検索を使わずに見つけたものです。',
  tooShort: 'メッセージ、コマンド、ファイルを検索するには、2 文字以上入力してください。',
  untitled: '新しいスレッド',
  foot: { move: '移動', open: '開く', close: '閉じる' },
}
