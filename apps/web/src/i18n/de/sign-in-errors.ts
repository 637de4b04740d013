import type { ErrorWords } from '../words.ts'

/** What can go wrong when people sign in at a provider. */
export const signInErrors: ErrorWords = {
  'sign-in.owner-only': {
    message: 'Nur die Eigentümerin oder der Eigentümer dieser Installation kann ändern, wie man sich anmeldet.',
    remedy: 'Fragen Sie diese Person.',
  },
  'sign-in.provider-not-found': {
    message: 'Der Anbieter wurde nicht gefunden.',
    remedy: 'Vielleicht wurde er entfernt. Laden Sie die Seite neu.',
  },
  'sign-in.issuer-taken': {
    message: 'Es gibt schon einen Anbieter mit diesem Aussteller.',
    remedy: 'Bearbeiten Sie diesen.',
  },
  'sign-in.provider-limit': {
    message: 'Es gibt schon {limit} Anbieter.',
    remedy: 'Entfernen Sie zuerst einen.',
  },
  'sign-in.settings-invalid': {
    message: 'Diese Einstellungen passen nicht zusammen: {problem}',
    remedy: 'Korrigieren Sie sie und speichern Sie noch einmal.',
  },
  'sign-in.identity-not-found': {
    message: 'Diese Anmeldung ist nicht verbunden.',
    remedy: 'Laden Sie die Liste neu.',
  },
  'sign-in.identity-other': {
    message:
      'Sie haben sich beim Anbieter mit einem anderen Konto angemeldet als dem, das hier mit Ihrem verbunden ist.',
    remedy: 'Versuchen Sie es mit dem verbundenen Konto. „Einstellungen“, „Sie“ nennt es.',
  },
  'sign-in.identity-taken': {
    message: 'Dieses Konto des Anbieters ist hier mit einer anderen Person verbunden.',
    remedy:
      'Melden Sie sich beim Anbieter mit einem anderen Konto an, oder trennen Sie es zuerst von der anderen Person.',
  },
  'sign-in.last-way': {
    message: 'Sie könnten sich nicht mehr anmelden: Das ist Ihr einziger Weg.',
    remedy: 'Verbinden Sie zuerst einen anderen, oder bitten Sie um einen Link, mit dem Sie ein Passwort festlegen.',
  },
  'sign-in.return-refused': {
    message: 'Nach der Anmeldung können nur Seiten dieser App geöffnet werden.',
    remedy: 'Öffnen Sie die Anmeldeseite neu, ohne die Adresse einer anderen Website.',
  },
  'sign-in.state-unknown': {
    message: 'Diese Anmeldung wurde schon beendet, oder sie hat länger als 10 Minuten gedauert.',
    remedy: 'Beginnen Sie auf der Anmeldeseite von vorn.',
  },
  'sign-in.state-foreign': {
    message: 'Diese Anmeldung wurde in einem anderen Browser begonnen, oder hier wurde seitdem eine andere begonnen.',
    remedy: 'Beginnen Sie auf der Anmeldeseite von vorn, in diesem Browser.',
  },
  'sign-in.declined': {
    message: 'Der Anbieter hat Sie nicht angemeldet.',
    remedy: 'Versuchen Sie es noch einmal, oder fragen Sie beim Anbieter, ob Sie diese App benutzen dürfen.',
  },
  'sign-in.closed': {
    message:
      'Ihr Konto beim Anbieter ist hier mit keiner Person verbunden, und neue Personen können so nicht beitreten.',
    remedy:
      'Melden Sie sich mit Ihrem Passwort an und verbinden Sie es unter Einstellungen, Sie; oder fragen Sie die Eigentümerin oder den Eigentümer.',
  },
  'sign-in.invite-needed': {
    message: 'Zum Beitreten brauchen Sie eine Einladung.',
    remedy:
      'Bitten Sie die Eigentümerin, den Eigentümer oder einen Admin darum, öffnen Sie sie in diesem Browser und wählen Sie dort den Anbieter.',
  },
  'sign-in.domain-refused': {
    message: 'Ihre E-Mail-Adresse gehört zu keiner Domain, deren Personen beitreten können.',
    remedy: 'Melden Sie sich beim Anbieter mit einer anderen Adresse an, oder bitten Sie um eine Einladung.',
  },
  'sign-in.group-missing': {
    message: 'Sie sind nicht in der Gruppe, die diese App benutzen kann.',
    remedy: 'Bitten Sie beim Anbieter darum, in sie aufgenommen zu werden.',
  },
  'sign-in.email-missing': {
    message: 'Der Anbieter hat Ihre E-Mail-Adresse nicht genannt, die ein Konto hier braucht.',
    remedy: 'Bitten Sie beim Anbieter darum, dieser App den Scope `email` zu erlauben.',
  },
  'sign-in.email-unverified': {
    message: 'Der Anbieter hat Ihre E-Mail-Adresse nicht geprüft.',
    remedy: 'Bestätigen Sie sie beim Anbieter und melden Sie sich noch einmal an.',
  },
  'sign-in.email-taken': {
    message: 'Mit Ihrer E-Mail-Adresse gibt es hier schon ein Konto, und es ist nicht mit dem Anbieter verbunden.',
    remedy: 'Melden Sie sich bei diesem Konto an und verbinden Sie den Anbieter unter Einstellungen, Sie.',
  },
  'sign-in.account-protected': {
    message: 'Konten von Eigentümern und Admins werden nie über ihre E-Mail-Adresse verbunden.',
    remedy: 'Melden Sie sich mit Ihrem Passwort an und verbinden Sie den Anbieter unter Einstellungen, Sie.',
  },
  'sign-in.provider-unreachable': {
    message: 'Der Anbieter antwortet nicht.',
    remedy: 'Versuchen Sie es später noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
  },
  'sign-in.provider-slow': {
    message: 'Der Anbieter hat zu lange nicht geantwortet.',
    remedy: 'Versuchen Sie es später noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
  },
  'sign-in.answer-too-large': {
    message: 'Eine Antwort des Anbieters war größer als 1 MiB und wurde abgebrochen.',
    remedy:
      'Sagen Sie es der Eigentümerin oder dem Eigentümer dieser Installation: Die Einstellungen beider Seiten passen nicht zusammen.',
  },
  'sign-in.address-refused': {
    message: 'Die Adresse des Anbieters liegt in einem privaten Netz, oder sie ist nicht verschlüsselt.',
    remedy: 'Ein Administrator kann sie mit THREADBOX_CONNECTIONS_ALLOW erlauben.',
  },
  'sign-in.provider-invalid': {
    message: 'Die Antworten des Anbieters sind nicht die eines OpenID-Connect-Ausstellers.',
    remedy: 'Prüfen Sie die Adresse des Ausstellers: Darunter wird `/.well-known/openid-configuration` gelesen.',
  },
  'sign-in.issuer-wrong': {
    message: 'Die Antwort kommt von einem anderen Aussteller als dem, bei dem Sie sich angemeldet haben.',
    remedy:
      'Sagen Sie es der Eigentümerin oder dem Eigentümer dieser Installation: Die Einstellungen beider Seiten passen nicht zusammen.',
  },
  'sign-in.client-refused': {
    message: 'Der Anbieter akzeptiert Client-ID oder Client-Geheimnis dieser Installation nicht.',
    remedy:
      'Sagen Sie es der Eigentümerin oder dem Eigentümer dieser Installation: Die Einstellungen beider Seiten passen nicht zusammen.',
  },
  'sign-in.code-refused': {
    message: 'Laut Anbieter wurde diese Anmeldung schon benutzt oder gilt nicht mehr.',
    remedy: 'Beginnen Sie auf der Anmeldeseite von vorn.',
  },
  'sign-in.nonce-wrong': {
    message: 'Die Antwort des Anbieters gehört zu einer anderen Anmeldung.',
    remedy: 'Versuchen Sie es noch einmal. Bleibt es so, sagen Sie es der Eigentümerin oder dem Eigentümer.',
  },
  'sign-in.audience-wrong': {
    message: 'Die Antwort des Anbieters ist für eine andere App.',
    remedy:
      'Sagen Sie es der Eigentümerin oder dem Eigentümer dieser Installation: Die Einstellungen beider Seiten passen nicht zusammen.',
  },
  'sign-in.algorithm-refused': {
    message: 'Die Antwort des Anbieters ist nicht so signiert, dass ihre Herkunft bewiesen ist.',
    remedy:
      'Der Anbieter muss ID-Tokens mit einem Schlüsselpaar signieren, etwa RS256 oder ES256, nicht mit `none` oder HS256.',
  },
  'sign-in.signature-wrong': {
    message: 'Die Signatur der Antwort des Anbieters ist falsch.',
    remedy: 'Versuchen Sie es noch einmal. Bleibt es so, sagen Sie es der Eigentümerin oder dem Eigentümer.',
  },
  'sign-in.token-expired': {
    message: 'Die Antwort des Anbieters ist abgelaufen oder kommt aus der Zukunft.',
    remedy: 'Versuchen Sie es noch einmal. Bleibt es so, sollten die Uhren auf beiden Seiten geprüft werden.',
  },
  'sign-in.token-invalid': {
    message: 'Die Antwort des Anbieters ist unvollständig oder widerspricht sich.',
    remedy:
      'Sagen Sie es der Eigentümerin oder dem Eigentümer dieser Installation: Die Einstellungen beider Seiten passen nicht zusammen.',
  },
  'sign-in.groups-overage': {
    message: 'Sie sind in mehr Gruppen, als der Anbieter in seine Antwort schreibt.',
    remedy:
      'Beschränken Sie den Claim beim Anbieter auf Gruppen, die dieser App zugewiesen sind, oder nehmen Sie App-Rollen.',
  },
  'sign-in.groups-unreadable': {
    message: 'Der Claim mit den Gruppen ist weder ein Text noch eine Liste von Texten.',
    remedy: 'Prüfen Sie den Pfad der Angabe.',
  },
  'sign-in.logout-refused': {
    message: 'Dieses Logout-Token wird nicht akzeptiert: {problem}',
    remedy:
      'Senden Sie ein neues Logout-Token dieses Anbieters, wie OpenID Connect Back-Channel Logout 1.0 es beschreibt.',
  },
}
