import type { ErrorWords } from '../words.ts'

export const secretErrors: ErrorWords = {
  'boot-files.authority-invalid': {
    message: 'この証明書は認証局のものではありません。',
    remedy: 'threadbox を再起動すると、egress プロセスが新しい認証局を作成します。',
  },
  'secret.broker-unreachable': {
    message: 'シークレットを挿入するプロセスに接続できません。',
    remedy: '毎秒再試行します。解消しない場合は、`threadbox doctor` で理由を確認できます。',
  },
  'secret.broker-answer-unknown': {
    message: 'シークレットを挿入するプロセスから不明な応答がありました（ステータス {status}）。',
    remedy: 'threadbox を再起動して、すべてのプロセスを同じバージョンにしてください。',
  },
  'secret.not-found': {
    message: 'シークレットが見つかりません。',
    remedy: 'シークレットの一覧から選択してください。',
  },
  'secret.limit': {
    message: 'ここに置けるシークレットは {limit} 個までです。',
    remedy: '不要になったシークレットを削除してください。',
  },
  'secret.name-taken': {
    message: '{name} という名前のシークレットはすでにあります。',
    remedy: '別の名前を選ぶか、既存のシークレットを変更してください。',
  },
  'secret.name-reserved': {
    message: 'プログラムがこの変数を別の用途に使うため、シークレットを {name} という名前にはできません。',
    remedy: 'SERVICE_TOKEN のような別の名前を選んでください。',
  },
  'secret.value-empty': { message: 'シークレットの値が空です。', remedy: '値を入力してください。' },
  'secret.value-too-long': {
    message: 'シークレットの値が {limitBytes:size} を超えています。',
    remedy: 'キー、トークン、パスワードそのものだけを入力してください。',
  },
  'secret.value-multiline': {
    message: 'シークレットの値に改行があります。ヘッダーに改行は使えないため、この値は送信できません。',
    remedy: '値を 1 行で入力してください。複数行の鍵には、サンドボックス内のファイルを使ってください。',
  },
  'secret.value-unprintable': {
    message: 'シークレットの値に、ヘッダーで使えない文字（NUL などの制御文字、または ASCII 以外の文字）があります。',
    remedy: '取得元から値をもう一度コピーしてください。',
  },
  'secret.value-spaces': {
    message: 'シークレットの値の先頭または末尾に空白があります。空白はヘッダーで失われます。',
    remedy: '空白を除いて値を入力してください。',
  },
  'secret.host-invalid': {
    message: 'シークレットの送信先に「{host}」は指定できません。',
    remedy:
      'api.example.org のような正確な名前を入力してください。ポートが 443 でない場合は 1〜65535 のポートを付けてください。ワイルドカードとアドレスは使えません。',
  },
  'secret.not-usable-here': {
    message: 'シークレット「{secret}」は {host} へのこのリクエストでは使用できません: {condition}',
    remedy: '条件を満たすようにリクエストを変更するか、シークレットのホスト、メソッド、パス、位置を変更してください。',
  },
  'secret.wrong-host': {
    message: 'この接続は {host} へのものですが、リクエストは「{asked}」宛てです。',
    remedy: 'TLS のサーバー名とホストに同じ名前を送信し、ホストごとに別の接続を使用してください。',
  },
  'secret.not-ready': {
    message: '{host} のシークレットはまだ読み込まれていません。',
    remedy: '1 秒後にもう一度お試しください。',
  },
  'secret.request-refused': {
    message: 'シークレットのあるホスト {host} へのリクエストは送信されませんでした: {reason}',
    remedy: '通常の HTTP/1.1 または HTTP/2 のリクエストを送信してください。',
  },
  'secret.body-too-large': {
    message: 'シークレット「{secret}」のプレースホルダーが {maxBytes} バイトを超える本文にあり、置き換えられません。',
    remedy: 'シークレットをヘッダーか、より小さい本文で送信してください。',
  },
  'secret.body-encoded': {
    message: 'シークレット「{secret}」のプレースホルダーがエンコード {encoding} の本文にあり、置き換えられません。',
    remedy: '圧縮せずに本文を送信してください。',
  },
  'secret.host-unreachable': {
    message: '{host} へのリクエストに失敗しました: {reason}',
    remedy: 'もう一度お試しください。失敗が続く場合は、このマシンからホストに接続できるか確認してください。',
  },
  'secret.response-unreadable': {
    message: '{host} にはシークレットがありますが、応答のエンコード「{encoding}」は検索できません。',
    remedy: '圧縮しない応答をホストに要求してください。',
  },
  'secret.host-own': {
    message: '{host} は threadbox 自身のアドレスなので、シークレットの送信先にできません。',
    remedy: 'シークレットを使うサービスのホストを入力してください。',
  },
  'secret.header-reserved': {
    message: 'ヘッダー {name} はリクエストの送信先や終わりを決めるため、シークレットで設定できません。',
    remedy: 'Authorization など、サービスがキーを受け取るヘッダーを入力してください。',
  },
  'secret.unusable': {
    message: 'リクエストの中にシークレットの場所がありません。プレースホルダーの位置もヘッダーも指定されていません。',
    remedy: '位置を 1 つ以上選ぶか、ヘッダーを入力してください。',
  },
  'secret.name-granted': {
    message: 'このスレッドには、{name} という名前の別のシークレットがすでにあります。',
    remedy: '先にそのシークレットの使用を取り消すか、どちらかの名前を変更してください。',
  },
  'secret.thread-shared': {
    message: 'このスレッドではほかの人も作業できるため、あなたの個人シークレット {name} は使えません。',
    remedy: 'ワークスペースのシークレットを使ってください。',
  },
}
