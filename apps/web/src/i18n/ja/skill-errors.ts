import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about skills and links of threads. */
export const skillErrors: ErrorWords = {
  'skill.archive-invalid': {
    message: 'スキルを展開できません：{problem}',
    remedy: 'フォルダーを、パスワードのない通常の zip ファイルにもう一度まとめてください。',
  },
  'skill.changed': {
    message: 'スキル {name} は読み込んだ後に変更されたため、置き換えませんでした。',
    remedy: 'もう一度読み込み、変更をやり直してください。',
  },
  'skill.description-invalid': {
    message: 'スキルの説明が {characters} 文字です。',
    remedy: '何をするか、いつ使うかを、1 ～ 1024 文字で書いてください。',
  },
  'skill.file-missing': {
    message: 'SKILL.md がないか、スキルが 2 つ以上あります。',
    remedy: '1 つのスキル（SKILL.md のあるフォルダー）を送ってください。',
  },
  'skill.folder-differs': {
    message: 'スキルの名前は {name} ですが、フォルダーの名前は {folder} です。',
    remedy: '両方を同じ名前にしてください。',
  },
  'skill.front-matter-invalid': {
    message: 'SKILL.md のフロントマターを読み取れません：{problem}',
    remedy: 'ファイルの先頭に、2 行の `---` で挟んだ YAML で、名前と説明を書いてください。',
  },
  'skill.limit-reached': {
    message: 'ここに置けるスキルは {limit} 個までです。',
    remedy: '使わないスキルを削除するか、このスキルをワークスペースに追加してください。',
  },
  'skill.link-refused': {
    message: 'スキルに、ファイルでもフォルダーでもないものが含まれています：{path}',
    remedy: 'リンクをファイルそのものに置き換えてください。',
  },
  'skill.name-invalid': {
    message: '{name} はスキルの名前に使えません。',
    remedy: '1 ～ 64 文字で、a–z、0–9、ハイフンを使ってください。ハイフンは連続させず、先頭と末尾には使えません。',
  },
  'skill.name-taken': {
    message: '{name} という名前のスキルは、ここにすでに存在します。',
    remedy: 'それを置き換えるか削除するか、このスキルの SKILL.md で名前を変更してください。',
  },
  'skill.not-found': {
    message: 'スキルが見つかりません。',
    remedy: '削除された可能性があります。一覧から別のスキルを選んでください。',
  },
  'skill.path-unsafe': {
    message: 'スキルに、パスが無効なファイルが含まれています：{path}',
    remedy:
      '重複のない相対パスを、スラッシュで区切り、`..` を使わずに、印字可能な 240 文字、フォルダー 12 階層までで指定してください。',
  },
  'skill.too-large': {
    message: 'スキルが、圧縮した状態または展開した状態で {limitBytes} バイトを超えています。',
    remedy: '不要なものを除いてください。大きなデータは、使うときにスキルのスクリプトで取得できます。',
  },
  'skill.too-many-files': {
    message: 'スキルのファイルが {limit} 個を超えています。',
    remedy: 'インストールしたパッケージなど、不要なものを除いてください。',
  },
  'git.failed': {
    message: 'サンドボックスの git が失敗しました：{problem}',
    remedy: 'ターミナルで `git status` を実行し、リポジトリの問題を確認してください。',
  },
  'git.missing': {
    message: 'このサンドボックスに git がインストールされていません。',
    remedy: 'インストールしてください：`sudo apt-get install git`',
  },
  'git.too-slow': {
    message: 'サンドボックスの git が {seconds} 秒以内に応答しなかったため、停止しました。',
    remedy: 'ターミナルで `git status` を実行してください。ターミナルには時間制限がありません。',
  },
  'thread-link.copies-used-up': {
    message: 'このリンクでは、すでに上限の {max} 個のコピーが作られています。',
    remedy: '共有した人に新しいリンクを依頼してください。',
  },
  'thread-link.no-copy': {
    message: 'このリンクではコピーを作れません。',
    remedy: '期限が切れたか、読み取りだけを許可している可能性があります。共有した人に新しいリンクを依頼してください。',
  },
  'thread-link.limit-reached': {
    message: 'スレッドのリンクは {max} 個までです。',
    remedy: '先にリンクを 1 つ無効にしてください。',
  },
  'thread-link.not-found': {
    message: 'リンクがこのスレッドに見つかりません。',
    remedy: 'スレッドのリンクの一覧を確認してください。このリンクは期限が切れた可能性があります。',
  },
  'skill.type-unsupported': {
    message: '{mediaType} からスキルを読み取れません。',
    remedy: 'zip ファイル、SKILL.md、またはフォルダーのファイルを送ってください。',
  },
}
