import type { passkeys as source } from '../en/passkeys.ts'
import type { Texts } from '../texts.ts'

export const passkeys: Texts<typeof source> = {
  title: 'Passkeys',
  lead: 'Melden Sie sich mit PIN, Fingerabdruck oder Gesicht Ihres Geräts an, ohne Passwort.',
  empty: 'Noch keine Passkeys.',
  needed:
    'Eigentümer und Admins brauchen hier einen Passkey. Bis Sie einen hinzufügen, können Sie nur, was Mitglieder können.',
  added: 'hinzugefügt {{when}}',
  used: 'zuletzt verwendet {{when}}',
  neverUsed: 'nie verwendet',
  otherHost: 'Gilt nur unter {{host}}.',
  add: 'Passkey hinzufügen',
  addTitle: 'Passkey hinzufügen',
  addText: 'Benennen Sie ihn nach dem Gerät oder Passwortmanager, der ihn aufbewahrt. Danach fragt Ihr Browser danach.',
  addAction: 'Weiter',
  adding: 'Warten auf Ihr Gerät',
  name: 'Name',
  rename: 'Umbenennen',
  renameOf: '{{name}} umbenennen',
  renameText: 'Der Name steht nur in dieser Liste.',
  save: 'Speichern',
  saving: 'Wird gespeichert',
  remove: 'Entfernen',
  removeOf: '{{name}} entfernen',
  removeTitle: '{{name}} entfernen?',
  removeText:
    'Sie können sich damit nicht mehr anmelden. Wo er verwendet wurde, bleiben Sie angemeldet. Löschen Sie ihn auch auf dem Gerät.',
  removing: 'Wird entfernt',
  or: 'oder',
  use: 'Passkey verwenden',
  unavailable: {
    insecure: 'Passkeys brauchen https. Diese Seite wurde über http geöffnet.',
    address:
      'Unter einer IP-Adresse gibt es keine Passkeys. Öffnen Sie threadbox unter seinem Namen, oder auf diesem Gerät als localhost.',
    browser: 'Dieser Browser unterstützt keine Passkeys.',
  },
  failure: {
    canceled:
      'Es wurde kein Passkey verwendet: Sie haben abgebrochen, oder es hat zu lange gedauert. Versuchen Sie es noch einmal.',
    known: 'Dieses Gerät hat schon einen Passkey für Ihr Konto. Nehmen Sie ein anderes.',
    unsupported:
      'Dieses Gerät kann nicht prüfen, dass Sie es sind. Richten Sie PIN, Fingerabdruck oder Gesicht ein, und versuchen Sie es noch einmal.',
    failed:
      'Ihr Browser konnte hier keinen Passkey verwenden. Versuchen Sie es noch einmal, oder mit einem anderen Gerät.',
  },
}
