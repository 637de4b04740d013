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
  end: 'Beenden',
  endOf: 'Den Link beenden, der {{when}} erstellt wurde',
  done: 'Fertig',
}
