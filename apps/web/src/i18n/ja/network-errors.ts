import type { ErrorWords } from '../words.ts'

export const networkErrors: ErrorWords = {
  'network-policy.name-invalid': {
    message: 'ネットワークポリシーでは「{name}」を許可できません。',
    remedy:
      'example.org のような完全な名前、またはその下すべてを表す *.example.org を入力してください。どちらにも 53 以外の 1～65535 のポートを付けられます（example.org:8443）。アドレスとトップレベルドメイン全体は許可できません。',
  },
  'network-policy.nothing-reachable': {
    message: 'このスレッドに適用されるポリシーのひとつが接続をまったく許可していないため、名前を追加できません。',
    remedy: '先に、そのポリシーを許可する名前のリストに変更してください。',
  },
  'network-policy.too-many-names': {
    message: 'リストにはすでに {limit} 個の名前があります。',
    remedy: '不要になった名前を削除するか、いくつかを *.example.org のような名前にまとめてください。',
  },
  'private-address.name-invalid': {
    message: '「{entry}」は、サンドボックスが使える名前で始まっていません。',
    remedy: 'git.corp.example のような完全な名前をひとつ入力してください。* とアドレスは使えません。',
  },
  'private-address.port-invalid': {
    message: '「{entry}」には、サンドボックスが接続できるポートがありません。',
    remedy: '1～65535 のポートをひとつ入力してください。53 とメール用ポート 25、465、587 は使えません。',
  },
  'private-address.range-invalid': {
    message: '「{entry}」には、IPv4 アドレスの範囲がありません。',
    remedy: '10.1.2.0/24 のように最初のアドレスとプレフィックス長、またはひとつのアドレスを入力してください。',
  },
  'private-address.range-too-wide': {
    message: '「{entry}」の範囲には 65,536 を超えるアドレスがあります。',
    remedy: 'サービスがある範囲を入力してください。最大は /16 です。',
  },
  'private-address.range-refused': {
    message: '「{entry}」の範囲はプライベートネットワーク内にありません。',
    remedy:
      '10.0.0.0/8、172.16.0.0/12、192.168.0.0/16、100.64.0.0/10 のいずれかの中の範囲を入力してください。公開された名前に登録は不要です。ループバック、リンクローカル、メタデータのアドレスは許可できません。',
  },
}
