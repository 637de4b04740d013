import type { sharing as source } from '../en/sharing.ts'
import type { Texts } from '../texts.ts'

export const sharing: Texts<typeof source> = {
  open: '共有…',
  title: 'このスレッドを共有',
  lead: 'リンクを知っている人は誰でも、会話全体（メッセージ、コマンド、出力、画像。後から加わるものを含む）を読めます。変更することや、ほかのものを見ることはできません。',
  ends: 'リンクの有効期限',
  lifetime: { hour: '1 時間', day: '1 日', week: '7 日', month: '30 日', open: '無効にするまで' },
  withFiles: '添付されたファイルと共有されたファイルのダウンロードを許可',
  allowsCopies: 'ここにアカウントを持つ人が、自分用のコピーを作ることを許可',
  copiesWarning:
    'コピーには、その時点のサンドボックス全体が含まれます。ファイルに保存されたパスワードやキーを含むすべてのファイルと、動いているものすべてです。会話も含まれます。',
  make: 'リンクを作成',
  making: '作成中',
  address: 'リンク',
  once: '今コピーしてください。表示されるのは一度だけです。なくした場合は、新しく作成してください。',
  localOnly:
    'このリンクは、このコンピューターか、そこへのトンネルからしか使えません。ほかの人と共有するには、threadbox にドメインを設定してください：threadbox up --domain',
  another: '別のリンクを作成',
  list: 'このスレッドのリンク',
  noEnd: '有効期限なし',
  until: '有効期限：{{when}}',
  made: '作成：{{when}}',
  files: 'ファイルあり',
  noFiles: 'ファイルなし',
  neverOpened: 'まだ開かれていません',
  opened_other: '{{count}} 回開かれました（最新：{{when}}）',
  copied_zero: 'コピーはまだありません（残り {{left}}）',
  copied_other: 'コピー {{count}} 個（残り {{left}}）',
  end: '無効にする',
  endOf: 'リンクを無効にする（作成：{{when}}）',
  done: '完了',
  copy: {
    title: '自分用のコピーを作成',
    looking: '共有されたスレッドを読み込んでいます',
    lead: '「{{title}}」が共有されました。このコピーから始まる、自分のスレッドを作成できます。',
    untitled: 'タイトルのないスレッド',
    turns_other: '応答 {{count}} 件の会話',
    computer:
      'サンドボックスのコピー：ファイルとパッケージ。稼働中または一時停止の場合は、動いているものもすべて含みます',
    noComputer: 'サンドボックスなし：このスレッドにはまだありません',
    notCopied:
      '含まれないもの：オーナーのエージェント、スキル、接続、ワークスペース。あなたの操作は、あなたのコピーの中だけに残ります。',
    trust:
      'このサンドボックスは、ほかの人が用意したものです。パスワードを入力する前に、何が動いているかを確認してください。',
    make: 'コピーを作成',
    making: 'コピー中',
    open: '読むだけにする',
    back: '自分のスレッドへ',
    usedUp: 'このリンクではこれ以上コピーを作れません。新しいリンクを依頼してください。',
  },
}
