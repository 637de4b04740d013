import type { ErrorWords } from '../words.ts'

/** Errors of passkeys. */
export const passkeyErrors: ErrorWords = {
  'auth.passkey-required': {
    message: 'Eigentümer und Admins brauchen dafür hier einen Passkey, und Sie haben keinen.',
    remedy: 'Fügen Sie unter Einstellungen, Sie einen hinzu, und versuchen Sie es noch einmal.',
  },
  'setting.own-passkey-missing': {
    message: 'Sie können Passkeys nicht verlangen, solange Sie keinen haben: Sie würden sich selbst aussperren.',
    remedy: 'Fügen Sie unter Einstellungen, Sie einen hinzu, und ändern Sie dann die Einstellung.',
  },
  'passkey.not-found': {
    message: 'Passkey nicht gefunden.',
    remedy: 'Vielleicht ist er schon entfernt. Laden Sie die Liste neu.',
  },
  'passkey.host-unsuitable': {
    message: 'Unter der Adresse {host} gibt es keine Passkeys.',
    remedy:
      'Öffnen Sie threadbox unter seinem eigenen Namen, über https oder als `localhost`. Eine IP-Adresse und ein Name, den Vorschauen mitbenutzen, können keine Passkeys haben.',
  },
  'passkey.challenge-expired': {
    message: 'Diese Anfrage nach einem Passkey gilt nicht mehr. Sie gilt einmal, innerhalb von 5 Minuten.',
    remedy: 'Versuchen Sie es noch einmal.',
  },
  'passkey.other-browser': {
    message: 'Diese Anfrage nach einem Passkey kam aus einem anderen Browser.',
    remedy: 'Versuchen Sie es in diesem Browser noch einmal, und erlauben Sie Cookies.',
  },
  'passkey.origin-wrong': {
    message: 'Der Passkey wurde auf einer anderen Seite verwendet als dieser.',
    remedy:
      'Verwenden Sie ihn nur auf der Seite von threadbox. Wenn Sie ihn nirgends sonst verwendet haben, sagen Sie es dem Eigentümer.',
  },
  'passkey.host-wrong': {
    message: 'Dieser Passkey gehört zu einer anderen Adresse.',
    remedy:
      'Nehmen Sie einen, der unter dieser Adresse hinzugefügt wurde, oder melden Sie sich mit dem Passwort an, und fügen Sie einen hinzu.',
  },
  'passkey.not-verified': {
    message: 'Ihr Gerät hat nicht geprüft, dass Sie es sind.',
    remedy: 'Richten Sie PIN, Fingerabdruck oder Gesicht ein, und versuchen Sie es noch einmal.',
  },
  'passkey.unknown': {
    message: 'Dieser Passkey ist hier nicht bekannt.',
    remedy: 'Vielleicht wurde er entfernt. Nehmen Sie einen anderen, oder melden Sie sich mit dem Passwort an.',
  },
  'passkey.invalid': {
    message: 'Was das Gerät gesendet hat, ist keine gültige Antwort eines Passkeys.',
    remedy: 'Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Passkey.',
  },
  'passkey.counter-behind': {
    message: 'Dieser Passkey wurde seltener verwendet, als threadbox weiß. Vielleicht gibt es eine Kopie.',
    remedy: 'Melden Sie sich mit dem Passwort an, entfernen Sie ihn, und fügen Sie einen neuen hinzu.',
  },
  'passkey.already-added': {
    message: 'Dieser Passkey ist schon hinzugefügt.',
    remedy: 'Nehmen Sie ein anderes Gerät, oder den Passkey in der Liste.',
  },
  'passkey.limit': {
    message: 'Sie haben schon {limit} Passkeys.',
    remedy: 'Entfernen Sie einen, den Sie nicht mehr verwenden.',
  },
}
