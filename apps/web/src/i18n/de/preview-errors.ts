import type { ErrorWords } from '../words.ts'

/** Errors of previews, by code. */
export const previewErrors: ErrorWords = {
  'preview.asleep': {
    message: 'Die Sandbox hinter dieser Seite schläft, und dieser Link kann sie nicht wecken.',
    remedy: 'Bitten Sie die Person, die ihn geteilt hat, sie zu wecken. Die Seite öffnet sich dann automatisch.',
  },
  'preview.broken-off': {
    message: 'Der Dienst auf Port {port} hat die Anfrage angenommen, aber keine Antwort gesendet: {reason}',
    remedy: 'Prüfen Sie das Protokoll des Dienstes, und versuchen Sie es dann noch einmal.',
  },
  'preview.cookies-blocked': {
    message: 'Dieser Browser blockiert Cookies in Rahmen; Vorschauen brauchen sie, um privat zu bleiben.',
    remedy: 'Erlauben Sie im Browser Cookies für {wildcard}, oder öffnen Sie Vorschauen in einem eigenen Tab.',
  },
  'preview.foreign-request': {
    message: 'Diese Anfrage kam von einem anderen Ursprung.',
    remedy: 'Senden Sie sie von einer Seite desselben Threads.',
  },
  'preview.malformed-request': {
    message:
      'Die Anfrage ist mehrdeutig. Sie braucht genau einen Host-Header, einen Pfad, der mit / beginnt, und höchstens eines von Content-Length und Transfer-Encoding: chunked.',
    remedy: 'Korrigieren Sie das Programm, das die Anfrage sendet.',
  },
  'preview.names-elsewhere': {
    message: 'Dieser Browser erreicht {name} nicht, obwohl er die App erreicht.',
    remedy:
      'Lassen Sie {wildcard} auf denselben Server zeigen wie die Domain der App, und stellen Sie einen Proxy davor so ein, dass er diese Namen mit ihrem Host-Header weiterleitet.',
  },
  'preview.names-local': {
    message: 'Dieser Browser kann {name} nicht auflösen, obwohl Namen unter localhost auf Ihren Computer zeigen.',
    remedy:
      'Nehmen Sie einen Browser, der solche Namen auflöst (Chrome, Edge, Firefox), oder geben Sie der Installation eine Domain mit `threadbox up --domain`.',
  },
  'preview.names-missing': {
    message: 'Vorschauen verwenden {wildcard}, aber diese Namen lassen sich nicht auflösen.',
    remedy: 'Legen Sie einen DNS-Eintrag für {wildcard} an, der auf denselben Server zeigt wie die Domain der App.',
  },
  'preview.names-untrusted': {
    message: 'Dieser Browser erreicht https://{name} nicht, obwohl er die App erreicht.',
    remedy:
      'Geben Sie dem Proxy, der TLS beendet, ein Zertifikat für {wildcard}, und stellen Sie ihn so ein, dass er diese Namen mit ihrem Host-Header weiterleitet.',
  },
  'preview.no-name': {
    message:
      'Vorschauen brauchen eine Domain. Diese Installation hat nur Namen unter localhost, und die zeigen auf Ihren Computer.',
    remedy:
      'Rufen Sie `ssh -L {port}:127.0.0.1:{port}` zum Server auf, und öffnen Sie die Adresse, die `threadbox status` anzeigt, oder geben Sie der Installation eine Domain mit `threadbox up --domain`.',
  },
  'preview.nothing-here': {
    message: 'Port {port} in der Sandbox antwortet nicht.',
    remedy: 'Starten Sie den Dienst, oder prüfen Sie sein Protokoll, falls er laufen müsste.',
  },
  'preview.other-name': {
    message: 'Vorschauen gehen unter dieser Adresse nicht: Browser blockieren in Rahmen Cookies einer anderen Website.',
    remedy: 'Öffnen Sie die App unter {address}. Dort verwenden Vorschauen dieselbe Domain.',
  },
  'preview.port-reserved': {
    message: 'Port {port} ist für die Sandbox reserviert.',
    remedy: 'Nehmen Sie einen anderen Port.',
  },
  'preview.private': {
    message: 'Diese Seite ist privat, und dieser Browser ist nicht berechtigt, sie zu öffnen.',
    remedy: 'Öffnen Sie sie in threadbox noch einmal aus ihrem Thread heraus.',
  },
  'preview.sockets-blocked': {
    message: 'Zwischen diesem Browser und threadbox werden WebSockets blockiert.',
    remedy:
      'Stellen Sie den Proxy so ein, dass er WebSockets für {wildcard} weiterleitet (Header Upgrade und Connection, über HTTP/1.1).',
  },
  'preview.suspended': {
    message: 'Die Sandbox hinter dieser Seite schläft. Hintergrundanfragen einer Seite wecken sie nicht.',
    remedy: 'Wecken Sie sie in threadbox, oder laden Sie die Seite neu.',
  },
  'preview.waking': {
    message: 'Die Sandbox hinter dieser Seite wacht auf.',
    remedy: 'Versuchen Sie es gleich noch einmal.',
  },
}
