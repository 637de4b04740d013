import type { ErrorWords } from '../words.ts'

/** What can go wrong when people sign in at a provider. */
export const signInErrors: ErrorWords = {
  'sign-in.owner-only': {
    message: 'Solo il proprietario di questa installazione può cambiare come si accede.',
    remedy: 'Chiedi al proprietario.',
  },
  'sign-in.provider-not-found': {
    message: 'Provider non trovato.',
    remedy: 'Forse è stato rimosso. Ricarica la pagina.',
  },
  'sign-in.issuer-taken': {
    message: 'Esiste già un provider con questo emittente.',
    remedy: 'Modifica quello.',
  },
  'sign-in.provider-limit': {
    message: 'Ci sono già {limit} provider.',
    remedy: 'Rimuovine prima uno.',
  },
  'sign-in.settings-invalid': {
    message: 'Queste impostazioni non vanno insieme: {problem}',
    remedy: 'Correggile e salva di nuovo.',
  },
  'sign-in.identity-not-found': {
    message: 'Questo accesso non è collegato.',
    remedy: 'Ricarica l’elenco.',
  },
  'sign-in.identity-other': {
    message: 'Hai effettuato l’accesso al provider con un account diverso da quello collegato qui al tuo.',
    remedy: 'Riprova con l’account collegato. Lo trovi in “Impostazioni”, “Tu”.',
  },
  'sign-in.identity-taken': {
    message: 'Questo account del provider è collegato qui a un’altra persona.',
    remedy: 'Accedi al provider con un altro account, o scollegalo prima dall’altra persona.',
  },
  'sign-in.last-way': {
    message: 'Non potresti più accedere: questo è il tuo unico modo.',
    remedy: 'Collegane prima un altro, o chiedi un link con cui impostare una password.',
  },
  'sign-in.return-refused': {
    message: 'Dopo l’accesso si possono aprire solo pagine di questa app.',
    remedy: 'Riapri la pagina di accesso, senza l’indirizzo di un altro sito.',
  },
  'sign-in.state-unknown': {
    message: 'Questo accesso è già stato concluso, o è durato più di 10 minuti.',
    remedy: 'Ricomincia dalla pagina di accesso.',
  },
  'sign-in.state-foreign': {
    message: 'Questo accesso è iniziato in un altro browser, o qui ne è iniziato un altro da allora.',
    remedy: 'Ricomincia dalla pagina di accesso, in questo browser.',
  },
  'sign-in.declined': {
    message: 'Il provider non ti ha fatto accedere.',
    remedy: 'Riprova, o chiedi a chi gestisce il provider se puoi usare questa app.',
  },
  'sign-in.closed': {
    message:
      'Il tuo account del provider non è collegato a una persona qui, e le persone nuove non possono entrare così.',
    remedy: 'Accedi con la password e collegalo in Impostazioni, Tu; oppure chiedi al proprietario.',
  },
  'sign-in.invite-needed': {
    message: 'Per entrare ti serve un invito.',
    remedy: 'Chiedilo al proprietario o a un admin, aprilo in questo browser e scegli lì il provider.',
  },
  'sign-in.domain-refused': {
    message: 'Il tuo indirizzo email non è di un dominio le cui persone possono entrare.',
    remedy: 'Accedi al provider con un altro indirizzo, o chiedi un invito.',
  },
  'sign-in.group-missing': {
    message: 'Non sei nel gruppo che può usare questa app.',
    remedy: 'Chiedi a chi gestisce il provider di aggiungerti.',
  },
  'sign-in.email-missing': {
    message: 'Il provider non ha comunicato il tuo indirizzo email, che serve per un account qui.',
    remedy: 'Chiedi a chi gestisce il provider di permettere a questa app lo scope `email`.',
  },
  'sign-in.email-unverified': {
    message: 'Il provider non ha verificato il tuo indirizzo email.',
    remedy: 'Verificalo presso il provider, poi accedi di nuovo.',
  },
  'sign-in.email-taken': {
    message: 'Qui esiste già un account con il tuo indirizzo email, e non è collegato al provider.',
    remedy: 'Accedi a quell’account e collega il provider in Impostazioni, Tu.',
  },
  'sign-in.account-protected': {
    message: 'Gli account del proprietario e degli admin non vengono mai collegati tramite l’indirizzo email.',
    remedy: 'Accedi con la password e collega il provider in Impostazioni, Tu.',
  },
  'sign-in.provider-unreachable': {
    message: 'Il provider non risponde.',
    remedy: 'Riprova più tardi, o accedi con la password.',
  },
  'sign-in.provider-slow': {
    message: 'Il provider ha impiegato troppo tempo a rispondere.',
    remedy: 'Riprova più tardi, o accedi con la password.',
  },
  'sign-in.answer-too-large': {
    message: 'Una risposta del provider superava 1 MiB ed è stata interrotta.',
    remedy: 'Dillo al proprietario di questa installazione: le impostazioni del provider e queste non coincidono.',
  },
  'sign-in.address-refused': {
    message: 'L’indirizzo del provider è in una rete privata, o non è cifrato.',
    remedy: 'Un amministratore può permetterlo con THREADBOX_CONNECTIONS_ALLOW.',
  },
  'sign-in.provider-invalid': {
    message: 'Le risposte del provider non sono quelle di un emittente OpenID Connect.',
    remedy: 'Controlla l’indirizzo dell’emittente: sotto di esso si legge `/.well-known/openid-configuration`.',
  },
  'sign-in.issuer-wrong': {
    message: 'La risposta viene da un emittente diverso da quello in cui hai fatto l’accesso.',
    remedy: 'Dillo al proprietario di questa installazione: le impostazioni del provider e queste non coincidono.',
  },
  'sign-in.client-refused': {
    message: 'Il provider non accetta l’ID client o il segreto client di questa installazione.',
    remedy: 'Dillo al proprietario di questa installazione: le impostazioni del provider e queste non coincidono.',
  },
  'sign-in.code-refused': {
    message: 'Secondo il provider questo accesso è già stato usato o non è più valido.',
    remedy: 'Ricomincia dalla pagina di accesso.',
  },
  'sign-in.nonce-wrong': {
    message: 'La risposta del provider appartiene a un altro accesso.',
    remedy: 'Riprova. Se resta così, dillo al proprietario di questa installazione.',
  },
  'sign-in.audience-wrong': {
    message: 'La risposta del provider è per un’altra app.',
    remedy: 'Dillo al proprietario di questa installazione: le impostazioni del provider e queste non coincidono.',
  },
  'sign-in.algorithm-refused': {
    message: 'La risposta del provider non è firmata in modo da provarne l’origine.',
    remedy: 'Il provider deve firmare i token ID con una coppia di chiavi, come RS256 o ES256, non con `none` o HS256.',
  },
  'sign-in.signature-wrong': {
    message: 'La firma della risposta del provider è errata.',
    remedy: 'Riprova. Se resta così, dillo al proprietario di questa installazione.',
  },
  'sign-in.token-expired': {
    message: 'La risposta del provider è scaduta, o viene dal futuro.',
    remedy: 'Riprova. Se resta così, vanno controllati gli orologi delle due macchine.',
  },
  'sign-in.token-invalid': {
    message: 'La risposta del provider è incompleta o si contraddice.',
    remedy: 'Dillo al proprietario di questa installazione: le impostazioni del provider e queste non coincidono.',
  },
  'sign-in.groups-overage': {
    message: 'Sei in più gruppi di quanti il provider ne metta nella risposta.',
    remedy: 'Presso il provider, limita il claim ai gruppi assegnati a questa app, o usa i ruoli dell’app.',
  },
  'sign-in.groups-unreadable': {
    message: 'Il claim con i gruppi non è né un testo né un elenco di testi.',
    remedy: 'Controlla il percorso del claim.',
  },
  'sign-in.logout-refused': {
    message: 'Questo token di logout non è accettato: {problem}',
    remedy:
      'Invia un nuovo token di logout di questo provider, come descritto in OpenID Connect Back-Channel Logout 1.0.',
  },
}
