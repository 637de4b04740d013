import type { auth as source } from '../en/auth.ts'
import type { Texts } from '../texts.ts'

export const auth: Texts<typeof source> = {
  setup: {
    title: 'Eigentümerkonto anlegen',
    lead: 'Sie sind hier die erste Person. Wer Eigentümer ist, verbindet Modelle und setzt Grenzen.',
    name: 'Name',
    email: 'E-Mail',
    password: 'Passwort',
    passwordRule_one: '{{count}} Zeichen. Mindestens {{minimum}} sind nötig.',
    passwordRule_other: '{{count}} Zeichen. Mindestens {{minimum}} sind nötig.',
    passwordTooLong: 'Höchstens {{maximum}} Zeichen können gespeichert werden.',
    submit: 'Konto anlegen',
    submitting: 'Konto wird angelegt',
    privacy: 'Ihre Daten bleiben auf diesem Server, solange Sie kein Modell eines Anbieters verbinden.',
    noToken: {
      title: 'Sie brauchen den Anmelde-Link',
      text: 'Öffnen Sie den Link, den `./threadbox up` ausgegeben hat. Er gilt einmal. Führen Sie den Befehl noch einmal aus, um einen neuen zu bekommen.',
    },
    done: {
      title: 'Ein Eigentümerkonto gibt es schon',
      text: 'Anmelde-Links gelten einmal. Melden Sie sich mit dem Konto an.',
      action: 'Anmelden',
    },
  },
  login: {
    title: 'Anmelden',
    lead: 'Ihre Threads sind dort, wo Sie sie gelassen haben.',
    expired: 'Sie wurden abgemeldet. Melden Sie sich an, dann geht es an derselben Stelle weiter.',
    email: 'E-Mail',
    password: 'Passwort',
    submit: 'Anmelden',
    submitting: 'Anmeldung läuft',
    footer: '{{host}} · threadbox {{version}}',
  },
  confirm: {
    title: 'Bestätigen Sie, dass Sie es sind',
    lead: 'Ihre Anmeldung liegt mehr als 10 Minuten zurück. Geben Sie Ihr Passwort ein, um fortzufahren.',
    password: 'Passwort',
    submit: 'Bestätigen',
    submitting: 'Wird bestätigt',
  },
  secret: { show: 'Zeigen: {{label}}', hide: 'Verbergen: {{label}}' },
  problem: {
    missing: 'Bitte ausfüllen.',
    'not-an-email': 'Geben Sie eine gültige E-Mail-Adresse ein.',
    'too-short': 'Mindestens {{minimum}} Zeichen sind nötig.',
    'too-long': 'Höchstens {{maximum}} Zeichen können gespeichert werden.',
  },
  server: {
    title: 'Dieser Server',
    checked: '{{host}}, geprüft {{when}}',
    checking: 'Der Server wird geprüft',
    again: 'Noch einmal prüfen',
    failed: 'Der Server hat nicht geantwortet.',
    answers: 'Der Server antwortet',
    version: 'threadbox {{version}}',
    ready: 'Sandboxen können starten',
    readyDetail: 'Der Host ist bereit.',
    preparing: 'Sandboxen werden vorbereitet',
    preparingDetail: 'Diese Schritte fehlen noch. Das Konto können Sie schon anlegen.',
    hostMissingDetail: 'Der Host-Dienst hat noch nicht geantwortet. Das Konto können Sie schon anlegen.',
    step: { 'base-image': 'Basis-Image' },
    noModel: 'Ein Modell ist nicht nötig',
    noModelDetail: 'Beginnen Sie im Direktmodus, und verbinden Sie später eines.',
  },
  cookies: {
    found_one: 'Seiten dieser Website, etwa Vorschauen, haben {{count}} Cookie in Ihrem Browser hinterlassen.',
    found_other: 'Seiten dieser Website, etwa Vorschauen, haben {{count}} Cookies in Ihrem Browser hinterlassen.',
    effect:
      'Ihr Browser sendet sie mit jeder Anfrage, und das macht threadbox langsam. Sie bleiben angemeldet, wenn Sie sie löschen.',
    clear: 'Cookies löschen',
    clearing: 'Wird gelöscht …',
    cleared: 'Cookies gelöscht.',
    notCleared:
      'Ihr Browser hat sie behalten. Löschen Sie die Cookies dieser Website in den Einstellungen des Browsers.',
  },
}
