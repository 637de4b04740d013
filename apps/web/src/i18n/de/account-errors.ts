import type { ErrorWords } from '../words.ts'

/** What can go wrong with sign-ins, sessions and API keys. */
export const accountErrors: ErrorWords = {
  'api-key.not-found': {
    message: 'Der API-Schlüssel wurde nicht gefunden.',
    remedy: 'Vielleicht wurde er schon gelöscht. Laden Sie die Liste neu.',
  },
  'auth.credentials-wrong': {
    message: 'E-Mail-Adresse oder Passwort ist falsch.',
    remedy: 'Prüfen Sie beides, und achten Sie auf die Feststelltaste.',
  },
  'auth.email-taken': {
    message: 'Mit dieser E-Mail-Adresse gibt es schon ein Konto.',
    remedy: 'Melden Sie sich an, oder nehmen Sie eine andere Adresse.',
  },
  'auth.owner-required': {
    message: 'Das dürfen nur Eigentümer und Admins dieser Installation.',
    remedy: 'Fragen Sie eine dieser Personen.',
  },
  'auth.owner-token-wrong': {
    message: 'Dieser Anmelde-Link gilt für diese Installation nicht.',
    remedy: 'Nehmen Sie den neuesten Link, den `./threadbox up` ausgegeben hat.',
  },
  'auth.required': { message: 'Sie müssen angemeldet sein.', remedy: 'Melden Sie sich an.' },
  'auth.confirmation-required': {
    message:
      'Dafür brauchen wir noch einmal Ihr Passwort oder einen Passkey, weil Ihre Anmeldung mehr als 10 Minuten zurückliegt.',
    remedy: 'Wiederholen Sie die Aktion, und bestätigen Sie, dass Sie es sind.',
  },
  'auth.outside-workspaces': {
    message: 'Dieser API-Schlüssel ist auf Arbeitsbereiche beschränkt, und das hier ist außerhalb von ihnen.',
    remedy:
      'Nennen Sie einen der Arbeitsbereiche des Schlüssels (`workspaceId`), oder verwenden Sie einen Schlüssel, der nicht beschränkt ist.',
  },
  'auth.scope-missing': {
    message: 'Dieser API-Schlüssel hat den Bereich „{scope}“ nicht.',
    remedy:
      'Verwenden Sie einen Schlüssel mit dem Bereich „{scope}“. Sie können ihn unter Einstellungen, API-Schlüssel anlegen.',
  },
  'auth.password-wrong': {
    message: 'Das Passwort ist falsch.',
    remedy: 'Prüfen Sie es, und ob die Feststelltaste aus ist.',
  },
  'auth.session-required': {
    message: 'Das geht mit einem API-Schlüssel nicht.',
    remedy: 'Melden Sie sich in der App an, und tun Sie es dort.',
  },
  'auth.sign-up-closed': {
    message: 'Diese Installation hat schon einen Eigentümer. Andere können sich nicht registrieren.',
    remedy: 'Wenn Sie der Eigentümer sind, melden Sie sich an. Sonst bitten Sie ihn um einen Link zu einem Thread.',
  },
  'auth.too-many-attempts': {
    message: 'Zu viele Versuche. Der nächste ist in {retryAfterSeconds} s möglich.',
    remedy: 'Warten Sie, und versuchen Sie es dann noch einmal.',
  },
  'session.not-found': {
    message: 'Die Anmeldung wurde nicht gefunden.',
    remedy: 'Vielleicht ist sie beendet. Laden Sie die Liste neu.',
  },
}
