import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about agents. */
export const agentErrors: ErrorWords = {
  'agent.limit-reached': {
    message: 'ここに置けるエージェントは {limit} 個までです。',
    remedy: '使わないエージェントを削除するか、このエージェントをワークスペースに追加してください。',
  },
  'agent.name-taken': {
    message: '{name} という名前のエージェントは、ここにすでに存在します。',
    remedy:
      '別の名前を選ぶか、既存のエージェントの新しいバージョンとして保存するか、既存のエージェントの名前を変更または削除してください。',
  },
  'agent.not-found': {
    message: 'エージェントが見つかりません。',
    remedy: '削除された可能性があります。一覧から別のエージェントを選んでください。',
  },
  'agent.start-interrupted': {
    message: 'この ID のスレッドを作成している間に、サーバーが停止しました。不完全なスレッドを削除しています。',
    remedy: '別のスレッドを始めてください。',
  },
  'agent.version-current': {
    message: '現在のバージョンは削除できません。',
    remedy: '先に別のバージョンを現在のバージョンにするか、エージェントを削除してください。',
  },
  'agent.version-limit-reached': {
    message: 'エージェントのバージョンは {limit} 個までです。',
    remedy: '使わないバージョンを削除してください。',
  },
  'agent.version-not-found': {
    message: 'エージェントのバージョンが見つかりません。',
    remedy: '削除された可能性があります。別のバージョンを選んでください。',
  },
  'agent.review-required': {
    message: 'このエージェントはファイルからインポートされ、確認を待っています。まだ何も開始できません。',
    remedy: '「エージェント」を開いて下書きを確認し、エージェントが使ってよいものを承認してください。',
  },
  'agent-draft.not-found': {
    message: '下書きが見つかりません。',
    remedy:
      '承認または拒否された可能性があります。「エージェント」で探すか、ファイルをもう一度インポートしてください。',
  },
  'agent-draft.other-file': {
    message: '確認されたファイルは、この下書き（SHA-256: {sha256}）のものではありません。',
    remedy: '下書きをもう一度開いて確認してください。',
  },
  'agent-draft.not-offered': {
    message: 'この下書きにはこの項目がありません: {item}。',
    remedy: '下書きをもう一度開いてください。サービスと変数は、環境と一緒にのみ承認できます。',
  },
  'agent-draft.limit-reached': {
    message: 'ここで確認を待てるインポート済みエージェントは{limit}件までです。',
    remedy: '先にいくつかを承認または拒否してください。',
  },
  'environment.empty': {
    message: 'このスレッドはサンドボックスをまだ使っていないため、保存する環境がありません。',
    remedy: 'エージェントを環境なしで保存するか、先にスレッドでコマンドを実行してください。',
  },
  'environment.not-found': {
    message: '取得した環境が見つかりません。',
    remedy: '取得した環境は、エージェントが使わなければ 1 時間だけ残ります。もう一度取得してください。',
  },
  'agent-file.damaged': {
    message: '完全なエージェントファイルではありません：{problem}',
    remedy: 'エージェントをもう一度エクスポートし、ファイル全体が転送されたことを確認してください。',
  },
  'agent-file.other-format': {
    message: 'ファイルの形式は {format} で、このバージョンでは読み取れません。',
    remedy: '両方の threadbox を同じバージョンに更新してから、エージェントをもう一度エクスポートしてください。',
  },
  'agent-file.other-image': {
    message: 'エージェントの環境にはベースイメージ {wanted} が必要ですが、この threadbox にあるのは {present} です。',
    remedy: '両方の threadbox を同じバージョンに更新してから、エージェントをもう一度エクスポートしてください。',
  },
  'environment.disk-too-large': {
    message: 'ファイルのディスクが、ここでのサンドボックスの上限（{limitBytes} バイト）より大きいです。',
    remedy: '設定でディスクの上限を上げるか、ファイルを減らしてエージェントをエクスポートしてください。',
  },
  'environment.not-unpacked': {
    message: 'ファイルのディスクを展開できなかったため、何もインポートされませんでした：{problem}',
    remedy:
      'もう一度エクスポートし、ファイル全体が転送されたことを確認してください。受け付けるのは、threadbox がエクスポートしたファイルだけです。',
  },
}
