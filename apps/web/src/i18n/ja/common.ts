import type { common as source } from '../en/common.ts'
import type { Texts } from '../texts.ts'

export const common: Texts<typeof source> = {
  productName: 'threadbox',
  skipToMessage: 'メッセージ欄へ移動',
  skipToContent: '本文へ移動',
  notifications: '通知',
  close: '閉じる',
  cancel: 'キャンセル',
  copied: 'コピーしました',
  copyFailed: 'コピーできませんでした。ブラウザーがクリップボードへのアクセスをブロックしました。',
  loading: '読み込み中',
  learnMore: '詳しく見る',
  docsAbout: 'ドキュメント: {{topic}}',
  panes: 'パネル',
}
