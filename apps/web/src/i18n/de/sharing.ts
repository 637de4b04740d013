import type { sharing as source } from '../en/sharing.ts'
import type { Texts } from '../texts.ts'

export const sharing: Texts<typeof source> = {
  open: 'Teilen …',
  title: 'Diesen Thread teilen',
  lead: 'Wer den Link hat, kann das ganze Gespräch lesen, auch was später dazukommt: Nachrichten, Befehle, Ausgaben und Bilder. Ändern lässt sich damit nichts, und sonst ist nur zu sehen, was Sie unten erlauben.',
  ends: 'Link läuft ab',
  lifetime: {
    hour: 'in 1 Stunde',
    day: 'in 1 Tag',
    week: 'in 7 Tagen',
    month: 'in 30 Tagen',
    open: 'wenn ich ihn widerrufe',
  },
  withFiles: 'Dateien zum Herunterladen freigeben, die an Nachrichten angehängt oder vom Agenten geteilt wurden',
  allowsCopies: 'Personen mit einem Konto hier dürfen den Thread mit seiner Sandbox kopieren',
  copiesWarning:
    'Eine Kopie enthält die ganze Sandbox, wie sie in dem Moment ist: jede Datei, auch in Dateien gespeicherte Passwörter und Schlüssel, und alles, was läuft. Auch das Gespräch gehört dazu.',
  make: 'Link erstellen',
  making: 'Wird erstellt',
  address: 'Link',
  once: 'Jetzt kopieren: Er wird nur einmal gezeigt. Geht er verloren, erstellen Sie einen neuen.',
  localOnly:
    'Der Link funktioniert nur auf Ihrem Computer oder durch einen Tunnel zu ihm. Um ihn mit anderen zu teilen, geben Sie der Installation eine Domain: threadbox up --domain.',
  another: 'Noch einen erstellen',
  list: 'Links zu diesem Thread',
  noEnd: 'Läuft nicht ab',
  until: 'Läuft {{when}} ab',
  made: 'erstellt {{when}}',
  files: 'mit Dateien',
  noFiles: 'ohne Dateien',
  neverOpened: 'noch nicht geöffnet',
  opened_one: 'einmal geöffnet, {{when}}',
  opened_other: '{{count}}-mal geöffnet, zuletzt {{when}}',
  copied_zero: 'noch keine Kopien, {{left}} möglich',
  copied_one: '1 Kopie gemacht, {{left}} weitere möglich',
  copied_other: '{{count}} Kopien gemacht, {{left}} weitere möglich',
  end: 'Widerrufen',
  endOf: 'Den Link widerrufen, der {{when}} erstellt wurde',
  done: 'Fertig',
  copy: {
    title: 'Eine eigene Kopie machen',
    looking: 'Der geteilte Thread wird geladen',
    lead: '„{{title}}“ wurde mit Ihnen geteilt. Sie bekommen einen eigenen Thread, der als Kopie davon beginnt.',
    untitled: 'Thread ohne Titel',
    turns_one: 'Das Gespräch mit {{count}} Antwort',
    turns_other: 'Das Gespräch mit {{count}} Antworten',
    computer:
      'Eine Kopie seiner Sandbox: Dateien und Pakete und, wenn sie wach oder pausiert ist, alles, was darin läuft',
    noComputer: 'Keine Sandbox: Der Thread hat noch keine',
    notCopied:
      'Nicht enthalten: Agenten, Skills, Verbindungen und Arbeitsbereich des Eigentümers. Was Sie tun, bleibt in Ihrer Kopie.',
    trust:
      'Diese Sandbox hat jemand anderes eingerichtet. Prüfen Sie, was darin läuft, bevor Sie ein Passwort eingeben.',
    make: 'Meine Kopie machen',
    making: 'Wird kopiert',
    open: 'Nur lesen',
    back: 'Zu meinen Threads',
    usedUp: 'Über diesen Link sind keine Kopien mehr möglich. Bitten Sie um einen neuen Link.',
  },
}
