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
}
