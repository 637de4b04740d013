import type { ErrorWords } from '../words.ts'

/** What can go wrong with invites, people and their roles. */
export const peopleErrors: ErrorWords = {
  'auth.account-disabled': {
    message: 'Ihr Konto ist deaktiviert.',
    remedy: 'Bitten Sie die Eigentümerin, den Eigentümer oder einen Admin, es zu aktivieren.',
  },
  'invite.for-other': {
    message: 'Diese Einladung ist für eine andere E-Mail-Adresse.',
    remedy: 'Nehmen Sie die Adresse, an die sie ging, oder bitten Sie um eine neue Einladung.',
  },
  'invite.invalid': {
    message: 'Dieser Link gilt nicht. Vielleicht wurde er benutzt, widerrufen oder ersetzt, oder er ist abgelaufen.',
    remedy: 'Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
  },
  'invite.limit': {
    message: 'Es gibt schon {limit} Einladungen, die noch gelten.',
    remedy: 'Widerrufen Sie eine, oder legen Sie eine für mehrere Personen an.',
  },
  'invite.not-found': {
    message: 'Die Einladung wurde nicht gefunden.',
    remedy: 'Vielleicht wurde sie benutzt, oder sie ist abgelaufen. Laden Sie die Liste neu.',
  },
  'person.not-found': {
    message: 'Die Person wurde nicht gefunden.',
    remedy: 'Vielleicht ist sie nicht mehr dabei. Laden Sie die Liste neu.',
  },
  'person.protected': {
    message: 'Konto und Rolle dieser Person können Sie nicht ändern.',
    remedy: 'Admins können Mitglieder ändern. Für alles andere fragen Sie die Eigentümerin oder den Eigentümer.',
  },
  'thread.creator-outside': {
    message: 'Wer den Thread angelegt hat, sieht diesen Arbeitsbereich nicht und würde den Thread verlieren.',
    remedy: 'Nehmen Sie die Person zuerst in den Arbeitsbereich auf, oder bitten Sie sie, den Thread zu verschieben.',
  },
  'thread.creator-required': {
    message: 'Das kann nur, wer den Thread angelegt hat.',
    remedy: 'Fragen Sie diese Person, oder verschieben Sie den Thread in einen anderen Arbeitsbereich.',
  },
  'thread.private-outside': {
    message: 'Nur ein Thread in einem Arbeitsbereich kann privat sein: Außerhalb ist es jeder.',
    remedy: 'Verschieben Sie ihn zuerst in einen Arbeitsbereich.',
  },
  'thread.shared-with-others': {
    message:
      'In diesem Thread können andere arbeiten. Deshalb kann er Ihre eigenen Geheimnisse, Git-Zugangsdaten und Verbindungen nicht benutzen.',
    remedy: 'Machen Sie den Thread zuerst privat.',
  },
  'workspace.member-not-found': {
    message: 'Diese Person gibt es nicht, oder sie ist nicht in diesem Arbeitsbereich.',
    remedy: 'Laden Sie die Liste neu.',
  },
  'workspace.owner-missing': {
    message: 'Ein Arbeitsbereich braucht einen Eigentümer, und das ist der einzige.',
    remedy: 'Machen Sie zuerst ein anderes Mitglied zum Eigentümer, oder löschen Sie den Arbeitsbereich.',
  },
  'workspace.role-missing': {
    message: 'Ihre Rolle in diesem Arbeitsbereich erlaubt das nicht.',
    remedy: 'Fragen Sie einen Eigentümer des Arbeitsbereichs: Er kann es tun oder Ihre Rolle ändern.',
  },
  'run.person-disabled': {
    message: 'Das Konto der Person, für die das läuft, ist deaktiviert.',
    remedy: 'Bitten Sie jemand anderen, den Zeitplan oder Webhook zu speichern: Dann läuft er für diese Person.',
  },
  'usage.others-hidden': {
    message: 'Den Verbrauch aller sehen nur Eigentümer und Admins.',
    remedy: 'Sehen Sie den eigenen an, oder fragen Sie einen Admin.',
  },
  'usage.period-invalid': {
    message: 'Der Zeitraum endet vor seinem Anfang oder ist zu lang.',
    remedy: 'Wählen Sie höchstens {days} Tage.',
  },
  'quota.spend-used-up': {
    message: 'Sie haben in diesem Monat {used} von {limit} USD für Modelle verbraucht.',
    remedy: 'Am {resets} beginnt die Grenze neu. Mehr anfragen können Sie unter Einstellungen, Verbrauch.',
  },
  'quota.installation-spend-used-up': {
    message: 'Diese Installation hat in diesem Monat ihre {limit} USD für Modelle verbraucht.',
    remedy: 'Am {resets} beginnt die Grenze neu. Eigentümer und Admins können sie anheben.',
  },
  'quota.model-unpriced': {
    message: '{model} hat keinen Preis, also kann Ihre Grenze für Modelle es nicht zählen.',
    remedy: 'Wechseln Sie das Modell, oder bitten Sie einen Admin, den Preis einzugeben.',
  },
  'machine.sandbox-unknown': {
    message: 'Es gibt keine Sandbox mit dieser ID.',
    remedy: 'Laden Sie die Seite „Maschine“ neu: Die Sandbox wurde vielleicht gelöscht.',
  },
  'quota.preset-not-found': {
    message: 'Satz nicht gefunden.',
    remedy: 'Laden Sie die Liste neu.',
  },
  'quota.preset-name-taken': {
    message: 'Es gibt schon einen Satz namens {name}.',
    remedy: 'Wählen Sie einen anderen Namen.',
  },
  'quota.preset-is-default': {
    message: 'Diesen Satz haben Mitglieder ohne anderen.',
    remedy: 'Ändern Sie stattdessen seine Grenzen.',
  },
  'quota.request-not-found': {
    message: 'Anfrage nicht gefunden.',
    remedy: 'Vielleicht ist sie schon entschieden. Laden Sie die Liste neu.',
  },
  'quota.request-open': {
    message: 'Sie haben schon mehr angefragt.',
    remedy: 'Warten Sie, bis ein Admin entscheidet.',
  },
  'model.fallback-invalid': {
    message: 'Ein Modell, das übernimmt, muss ein anderes verbundenes sein, jedes höchstens einmal.',
    remedy: 'Wählen Sie andere aus der Liste der Modelle.',
  },
  'quota.place-awaited': {
    message: 'Sie haben {used} von {limit} Sandboxes wach, und keine wurde frei.',
    remedy:
      'Pausieren Sie eine, versuchen Sie es in {retryAfterSeconds} s erneut, oder fragen Sie unter Einstellungen, Verbrauch mehr an.',
  },
  'quota.sandboxes-used-up': {
    message: 'Sie haben {used} Sandboxes; Ihre Grenze ist {limit}.',
    remedy: 'Löschen Sie Threads, die Sie nicht mehr brauchen, oder fragen Sie unter Einstellungen, Verbrauch mehr an.',
  },
  'quota.disk-used-up': {
    message:
      'Ihre Sandboxes belegen {usedGiB} von {limitGiB} GiB. Die größte ist die von {largest}, mit {largestGiB} GiB.',
    remedy:
      'Löschen Sie Dateien in einer wachen Sandbox, löschen Sie Threads, oder fragen Sie unter Einstellungen, Verbrauch mehr an.',
  },
  'quota.requests-used-up': {
    message: 'Sie haben eine Zeit lang mehr als {limit} Anfragen pro Sekunde gesendet; das ist Ihre Grenze.',
    remedy: 'Versuchen Sie es in {retryAfterSeconds} s erneut, oder fragen Sie unter Einstellungen, Verbrauch mehr an.',
  },
  'quota.awake-used-up': {
    message: 'Sie haben {limit} wache Sandboxes; das ist Ihre Grenze.',
    remedy:
      'Pausieren Sie eine, warten Sie, bis eine nichts tut, oder fragen Sie unter Einstellungen, Verbrauch mehr an.',
  },
  'person.not-disabled': {
    message: 'Das Konto dieser Person ist nicht deaktiviert.',
    remedy: 'Deaktivieren Sie es zuerst.',
  },
  'person.recipient-invalid': {
    message: 'Diese Person kann es nicht bekommen.',
    remedy: 'Wählen Sie eine andere Person, deren Konto nicht deaktiviert ist.',
  },
  'person.leaving': {
    message: 'Was diese Person hat, wird gerade übergeben oder gelöscht.',
    remedy: 'Warten Sie, bis das beendet ist.',
  },
  'person.owner-leaves': {
    message: 'Das Konto des Eigentümers kann nicht gelöscht werden.',
    remedy: 'Übergeben Sie zuerst die Eigentümerschaft.',
  },
  'person.being-erased': {
    message: 'Das Konto dieser Person wird gelöscht.',
    remedy: 'Es kann nicht wieder aktiviert werden. Laden Sie die Person ein, ein neues Konto anzulegen.',
  },
  'ownership.not-offered': {
    message: 'Die Eigentümerschaft ist Ihnen nicht angeboten.',
    remedy: 'Vielleicht ist das Angebot abgelaufen oder wurde zurückgezogen. Bitten Sie um ein neues.',
  },
  'export.sandbox-asleep': {
    message: 'Die Dateien konnten nicht gelesen werden, während die Sandbox schläft.',
    remedy: 'Wecken Sie die Sandbox und exportieren Sie noch einmal.',
  },
}
