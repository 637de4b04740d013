import type { empty as source } from '../en/empty.ts'
import type { Texts } from '../texts.ts'

export const empty: Texts<typeof source> = {
  title: 'このスレッドには専用のコンピューターがあります',
  direct:
    'モデルがまだ接続されていないため、<b>ダイレクトモード</b>です。入力したコマンドは、このスレッドのサンドボックスで実行されます。ファイルとパッケージは残ります。',
  agent:
    '何でも頼んでください。{{model}} がこのスレッドのサンドボックスで作業します。ファイル、パッケージ、変数は次のメッセージにも引き継がれます。',
  unknown: '接続済みのモデルを読み込めませんでした。コマンドはモデルがなくても使えます。',
  commands: 'コマンド',
  run: 'シェルコマンドを実行',
  python: 'Python を実行し、変数を保持',
  help: 'すべてのコマンドを表示',
  helpExample: 'ダイレクトモードでできること',
  insert: '{{command}} を入力',
  connectTitle: 'または、モデルを接続',
  practicesTitle: 'ヒント',
  practice: {
    together: {
      title: '関連する作業は 1 つのスレッドにまとめる',
      text: 'パッケージとファイルがすでにそろっています。',
    },
    separate: { title: 'プロジェクトごとに新しいスレッドを始める', text: 'スレッドは互いに見えません。' },
    paths: { title: 'ファイルはパスで指定する', text: '会話がどれだけ長くなっても使えます。' },
    scripts: {
      title: '繰り返す作業はスクリプトにしてもらう',
      text: '保存したスクリプトは、以後のどのメッセージでも使えます。',
    },
  },
}
