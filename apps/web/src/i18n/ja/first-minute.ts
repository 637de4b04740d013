import type { firstMinute as source } from '../en/first-minute.ts'
import type { Texts } from '../texts.ts'

export const firstMinute: Texts<typeof source> = {
  button: '止めても続くコンピューターを見る',
  buttonText:
    'カウンターを動かし、サンドボックスを一時停止して復帰させ、数え続けることを示します。30 秒ほどで終わり、モデルは不要です。',
  threadTitle: '止めても続くコンピューター',
  counter: '数えた秒数',
  since: 'プロセス $process が $time から、メモリの中だけで数えています',
  stepOf: '{{number}} / {{total}}',
  stop: 'ここで終了',
  done: '完了',
  failed: 'デモが途中で止まりました',
  step: {
    starting: {
      title: 'サンドボックスを起動しています',
      text: 'メモリの中で秒を数える小さなプログラムを動かします。',
    },
    counting: { title: '数えています', text: '現在 {{before}} です。ディスクには何も書いていません。' },
    pausing: { title: '一時停止しています', text: '数えている途中で、動いているものすべてとともに止めます。' },
    asleep: { title: '休止中', text: 'メモリの内容はすべて保存されました。何も動いておらず、CPU も使っていません。' },
    waking: { title: '復帰しています', text: 'メモリを元のとおりに復元しています。' },
    survived: {
      title: '続いています',
      text: '一時停止したときの {{before}} から {{after}} まで数え続けています。プロセスは同じ {{process}} です。ほかに何が残ったかは、会話の中のレポートで確認できます。',
    },
    restarted: {
      title: '最初からになりました',
      text: 'メモリが失われたため、カウンターは最初から数え直し、現在 {{after}} です。理由は会話の中のレポートで確認できます。',
    },
  },
}
