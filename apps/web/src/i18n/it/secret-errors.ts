import type { ErrorWords } from '../words.ts'

export const secretErrors: ErrorWords = {
  'boot-files.authority-invalid': {
    message: 'Il certificato non è quello di un’autorità di certificazione.',
    remedy: 'Riavvia threadbox, così il suo processo egress crea una nuova autorità.',
  },
  'secret.broker-unreachable': {
    message: 'Il processo che inserisce i segreti non è raggiungibile.',
    remedy: 'Si riprova ogni secondo. Se resta così, `threadbox doctor` spiega perché.',
  },
  'secret.broker-answer-unknown': {
    message: 'Il processo che inserisce i segreti ha inviato una risposta sconosciuta (stato {status}).',
    remedy: 'Riavvia threadbox, così tutti i suoi processi hanno la stessa versione.',
  },
  'secret.not-found': { message: 'Segreto non trovato.', remedy: 'Scegline uno dall’elenco dei segreti.' },
  'secret.limit': {
    message: 'Qui ci possono essere al massimo {limit} segreti.',
    remedy: 'Eliminane uno che non serve più.',
  },
  'secret.name-taken': {
    message: 'Esiste già un segreto di nome {name}.',
    remedy: 'Scegli un altro nome, oppure modifica il segreto esistente.',
  },
  'secret.name-reserved': {
    message: 'Un segreto non può chiamarsi {name}, perché i programmi usano questa variabile per altro.',
    remedy: 'Scegli un altro nome, per esempio SERVICE_TOKEN.',
  },
  'secret.value-empty': { message: 'Il valore del segreto è vuoto.', remedy: 'Inserisci il valore.' },
  'secret.value-too-long': {
    message: 'Il valore del segreto supera {limitBytes:size}.',
    remedy: 'Inserisci solo la chiave, il token o la password.',
  },
  'secret.value-multiline': {
    message:
      'Il valore del segreto contiene un’interruzione di riga. Un’intestazione non può averne, quindi il valore non si potrebbe mai inviare.',
    remedy: 'Inserisci il valore su una sola riga. Per le chiavi su più righe usa un file nella sandbox.',
  },
  'secret.value-unprintable': {
    message:
      'Il valore del segreto contiene un carattere che un’intestazione non può avere: un carattere di controllo come NUL, o uno fuori da ASCII.',
    remedy: 'Copia di nuovo il valore da dove l’hai ottenuto.',
  },
  'secret.value-spaces': {
    message: 'Il valore del segreto inizia o finisce con uno spazio, che in un’intestazione andrebbe perso.',
    remedy: 'Inserisci il valore senza lo spazio.',
  },
  'secret.host-invalid': {
    message: 'Un segreto non può essere per “{host}”.',
    remedy:
      'Inserisci un nome esatto come api.example.org, con una porta da 1 a 65535 se non è 443. Caratteri jolly e indirizzi non sono possibili.',
  },
  'secret.not-usable-here': {
    message: 'Il segreto “{secret}” non può essere usato in questa richiesta a {host}: {condition}.',
    remedy:
      'Modifica la richiesta in modo che soddisfi la condizione, oppure modifica host, metodi, percorso o posizioni del segreto.',
  },
  'secret.wrong-host': {
    message: 'Questa connessione è verso {host}, ma la richiesta è per “{asked}”.',
    remedy: 'Invia lo stesso nome come nome del server TLS e come host, e usa una connessione propria per ogni host.',
  },
  'secret.not-ready': {
    message: 'I segreti per {host} non sono ancora caricati.',
    remedy: 'Riprova tra un secondo.',
  },
  'secret.request-refused': {
    message: 'La richiesta a {host}, un host con un segreto, non è stata inviata: {reason}.',
    remedy: 'Invia una semplice richiesta HTTP/1.1 o HTTP/2.',
  },
  'secret.body-too-large': {
    message:
      'Il segnaposto del segreto “{secret}” è in un contenuto di oltre {maxBytes} byte, dove non viene sostituito.',
    remedy: 'Invia il segreto in un’intestazione o in un contenuto più piccolo.',
  },
  'secret.body-encoded': {
    message:
      'Il segnaposto del segreto “{secret}” è in un contenuto con la codifica {encoding}, dove non viene sostituito.',
    remedy: 'Invia il contenuto senza compressione.',
  },
  'secret.host-unreachable': {
    message: 'La richiesta a {host} non è riuscita: {reason}.',
    remedy: 'Riprova. Se continua a non riuscire, controlla che l’host sia raggiungibile da questa macchina.',
  },
  'secret.response-unreadable': {
    message: '{host} ha un segreto e la sua risposta ha la codifica “{encoding}”, in cui non può essere cercato.',
    remedy: 'Chiedi all’host una risposta senza compressione.',
  },
  'secret.host-own': {
    message: '{host} è un indirizzo di threadbox stesso, quindi un segreto non può essere per questo host.',
    remedy: 'Inserisci l’host del servizio a cui serve il segreto.',
  },
  'secret.header-reserved': {
    message: 'Un segreto non può impostare l’intestazione {name}, perché decide dove va o dove finisce una richiesta.',
    remedy: 'Inserisci l’intestazione in cui il servizio si aspetta la chiave, per esempio Authorization.',
  },
  'secret.unusable': {
    message: 'Il segreto non ha posto in una richiesta: né una posizione per il segnaposto né un’intestazione.',
    remedy: 'Scegli almeno una posizione, oppure inserisci un’intestazione.',
  },
  'secret.name-granted': {
    message: 'Questo thread ha già un altro segreto di nome {name}.',
    remedy: 'Revoca prima quello, oppure rinomina uno dei due.',
  },
  'secret.thread-shared': {
    message:
      'Anche altre persone possono lavorare in questo thread, quindi il tuo segreto personale {name} qui non si può usare.',
    remedy: 'Usa un segreto del workspace.',
  },
}
