import type { ThreadboxError } from '@threadbox/errors'
import { preferredLanguage } from '../../platform/http/accept-language.ts'

/** Pages that the preview server shows instead of a service’s page. */
export const pageNames = ['private', 'suspended', 'asleep', 'waking', 'nothing-here', 'failed'] as const
export type PageName = (typeof pageNames)[number]

type PageWords = { title: string; text: (error: ThreadboxError) => string; action: string }
type Words = { language: string } & Record<PageName, PageWords>

const portOf = (error: ThreadboxError) => String(error.details.port ?? '')

const english: Words = {
  language: 'en',
  private: {
    title: 'This page is private',
    text: () =>
      'Open it again from its thread in threadbox. Preview links work once and expire after a minute; a shared link may have expired.',
    action: 'Open threadbox',
  },
  suspended: {
    title: 'This sandbox is asleep',
    text: () =>
      'Its files are kept. What was running continues when it wakes, or starts again if its memory was discarded.',
    action: 'Wake it and open the page',
  },
  asleep: {
    title: 'This page is asleep',
    text: () =>
      'The sandbox behind it is paused. The person who shared this page can wake it, and it will open here automatically.',
    action: '',
  },
  waking: {
    title: 'Waking up',
    text: () => 'The page opens as soon as its sandbox is awake.',
    action: '',
  },
  'nothing-here': {
    title: 'Nothing is running here yet',
    text: (error) =>
      `Nothing is listening on port ${portOf(error)} in the sandbox. The page opens when a program starts there. If it should be running, check its log.`,
    action: 'Try again',
  },
  failed: {
    title: 'This page can’t be shown',
    text: (error) => `${error.message} ${error.remedy}`,
    action: 'Try again',
  },
}

const german: Words = {
  language: 'de',
  private: {
    title: 'Diese Seite ist privat',
    text: () =>
      'Öffnen Sie sie in threadbox aus ihrem Thread heraus. Links zu Vorschauen gelten einmal und eine Minute lang; ein geteilter Link kann abgelaufen sein.',
    action: 'threadbox öffnen',
  },
  suspended: {
    title: 'Diese Sandbox schläft',
    text: () =>
      'Ihre Dateien bleiben. Was in ihr lief, läuft nach dem Aufwachen weiter oder startet neu, falls ihr Speicher verworfen wurde.',
    action: 'Aufwecken und Seite öffnen',
  },
  asleep: {
    title: 'Diese Seite schläft',
    text: () =>
      'Die Sandbox dahinter pausiert. Wer die Seite mit Ihnen geteilt hat, kann sie aufwecken; die Seite öffnet sich dann hier automatisch.',
    action: '',
  },
  waking: {
    title: 'Wacht auf',
    text: () => 'Die Seite öffnet sich, sobald ihre Sandbox wach ist.',
    action: '',
  },
  'nothing-here': {
    title: 'Hier läuft noch nichts',
    text: (error) =>
      `In der Sandbox antwortet kein Programm auf Port ${portOf(error)}. Die Seite öffnet sich, sobald dort eines startet. Sollte es schon laufen, sehen Sie in seinem Protokoll nach.`,
    action: 'Noch einmal versuchen',
  },
  failed: {
    title: 'Diese Seite lässt sich nicht zeigen',
    text: (error) => `${error.message} ${error.remedy}`,
    action: 'Noch einmal versuchen',
  },
}

const italian: Words = {
  language: 'it',
  private: {
    title: 'Questa pagina è privata',
    text: () =>
      'Aprila di nuovo dal suo thread in threadbox. I link di anteprima valgono una volta sola e scadono dopo un minuto; un link condiviso può essere scaduto.',
    action: 'Apri threadbox',
  },
  suspended: {
    title: 'Questa sandbox dorme',
    text: () =>
      'I suoi file restano. Ciò che era in esecuzione continua al risveglio, o riparte se la memoria è stata scartata.',
    action: 'Risvegliala e apri la pagina',
  },
  asleep: {
    title: 'Questa pagina dorme',
    text: () =>
      'La sandbox da cui proviene è in pausa. Chi ha condiviso questa pagina può risvegliarla, e qui si aprirà automaticamente.',
    action: '',
  },
  waking: {
    title: 'Risveglio',
    text: () => 'La pagina si apre appena la sua sandbox è sveglia.',
    action: '',
  },
  'nothing-here': {
    title: 'Qui non c’è ancora nulla in esecuzione',
    text: (error) =>
      `Nella sandbox non c’è nulla in ascolto sulla porta ${portOf(error)}. La pagina si apre quando lì si avvia un programma. Se dovrebbe essere già in esecuzione, controlla il suo log.`,
    action: 'Riprova',
  },
  failed: {
    title: 'Impossibile mostrare questa pagina',
    text: (error) => `${error.message} ${error.remedy}`,
    action: 'Riprova',
  },
}

const japanese: Words = {
  language: 'ja',
  private: {
    title: 'このページは非公開です',
    text: () =>
      'threadbox のスレッドからもう一度開いてください。プレビューのリンクは一度だけ使え、1 分で期限が切れます。共有されたリンクは、期限が切れた可能性があります。',
    action: 'threadbox を開く',
  },
  suspended: {
    title: 'このサンドボックスは休止中です',
    text: () =>
      'ファイルは保持されています。動いていたものは、復帰すると続きます。メモリが破棄されていた場合は、再起動します。',
    action: '復帰させてページを開く',
  },
  asleep: {
    title: 'このページは休止中です',
    text: () => 'このページのサンドボックスは一時停止しています。共有した人が復帰させると、ここで自動的に開きます。',
    action: '',
  },
  waking: {
    title: '復帰しています',
    text: () => 'サンドボックスが復帰すると、ページが開きます。',
    action: '',
  },
  'nothing-here': {
    title: 'ここではまだ何も動いていません',
    text: (error) =>
      `サンドボックスのポート ${portOf(error)} で待ち受けているプログラムはありません。プログラムが起動すると、ページが開きます。動いているはずの場合は、ログを確認してください。`,
    action: '再試行',
  },
  failed: {
    title: 'このページを表示できません',
    text: (error) => `${error.message} ${error.remedy}`,
    action: '再試行',
  },
}

const words = { en: english, de: german, it: italian, ja: japanese }

/** The texts in the language that an `Accept-Language` header prefers. */
export function pageWords(acceptLanguage: string | undefined): Words {
  return words[preferredLanguage(acceptLanguage)]
}
