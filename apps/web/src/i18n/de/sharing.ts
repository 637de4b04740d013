import type { sharing as source } from '../en/sharing.ts'
import type { Texts } from '../texts.ts'

export const sharing: Texts<typeof source> = {
  open: 'Teilen …',
  title: 'Diesen Thread teilen',
  lead: 'Wer einen Link hat, liest das ganze Gespräch, auch was später dazukommt: Nachrichten, Befehle, ihre Ausgabe und Bilder. Ändern lässt sich damit nichts, und sonst ist nichts zu sehen.',
  ends: 'Der Link endet',
  lifetime: {
    hour: 'in 1 Stunde',
    day: 'in 1 Tag',
    week: 'in 7 Tagen',
    month: 'in 30 Tagen',
    open: 'wenn ich ihn beende',
  },
  withFiles: 'Angehängte und geteilte Dateien lassen sich herunterladen',
  allowsCopies: 'Wer hier ein Konto hat, kann sich eine eigene Kopie machen',
  copiesWarning:
    'Eine Kopie hat den ganzen Computer, wie er dann ist: jede Datei, auch Passwörter und Schlüssel in Dateien, und was läuft. Das Gespräch gehört dazu.',
  make: 'Link erstellen',
  making: 'Wird erstellt',
  address: 'Adresse des Links',
  once: 'Sie wird nur dieses eine Mal gezeigt. Geht sie verloren, erstellen Sie einen neuen Link.',
  localOnly:
    'Der Link funktioniert auf diesem Rechner und durch einen Tunnel zu ihm. Für andere braucht die Installation eine Domain: threadbox up --domain.',
  another: 'Noch einen erstellen',
  list: 'Links dieses Threads',
  noEnd: 'Bis er beendet wird',
  until: 'Endet {{when}}',
  made: 'erstellt {{when}}',
  files: 'mit Dateien',
  noFiles: 'ohne Dateien',
  neverOpened: 'noch nicht geöffnet',
  opened_one: 'einmal geöffnet, {{when}}',
  opened_other: '{{count}}-mal geöffnet, zuletzt {{when}}',
  copied_zero: 'noch keine Kopien, {{left}} möglich',
  copied_one: '1 Kopie gemacht, {{left}} weitere möglich',
  copied_other: '{{count}} Kopien gemacht, {{left}} weitere möglich',
  end: 'Beenden',
  endOf: 'Den Link beenden, der {{when}} erstellt wurde',
  done: 'Fertig',
  copy: {
    title: 'Eine eigene Kopie',
    looking: 'Es wird nachgesehen, wohin der Link führt',
    lead: '„{{title}}“ wurde mit Ihnen geteilt. Sie bekommen einen eigenen Thread, der als Kopie davon beginnt.',
    untitled: 'Ein Thread',
    turns_one: 'Das Gespräch mit seiner einen Antwort',
    turns_other: 'Das Gespräch mit seinen {{count}} Antworten',
    computer:
      'Eine Kopie seines Computers: Dateien und Pakete und, wenn er wach ist oder pausiert wurde, auch was darauf läuft',
    noComputer: 'Kein Computer: Der Thread hat noch keinen',
    notCopied:
      'Nicht kopiert: Agenten, Skills, Verbindungen und Workspace der Person, die ihn geteilt hat. Was Sie tun, bleibt bei Ihnen.',
    trust:
      'Der Computer wurde von jemand anderem eingerichtet: Sehen Sie nach, was dort läuft, bevor Sie ihm ein Passwort geben.',
    make: 'Meine Kopie machen',
    making: 'Wird kopiert',
    open: 'Nur lesen',
    back: 'Zu meinen Threads',
    usedUp: 'Über diesen Link sind keine Kopien mehr möglich. Bitten Sie um einen neuen.',
  },
}
