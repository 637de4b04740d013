import type { ErrorWords } from '../words.ts'
import { accountErrors } from './account-errors.ts'
import { agentErrors } from './agent-errors.ts'
import { backupErrors } from './backup-errors.ts'
import { callErrors } from './call-errors.ts'
import { connectionErrors } from './connection-errors.ts'
import { machineErrors } from './machine-errors.ts'
import { networkErrors } from './network-errors.ts'
import { passkeyErrors } from './passkey-errors.ts'
import { peopleErrors } from './people-errors.ts'
import { previewErrors } from './preview-errors.ts'
import { runErrors } from './run-errors.ts'
import { sandboxErrors } from './sandbox-errors.ts'
import { secretErrors } from './secret-errors.ts'
import { signInErrors } from './sign-in-errors.ts'
import { skillErrors } from './skill-errors.ts'
import { snapshotErrors } from './snapshot-errors.ts'
import { socketErrors } from './socket-errors.ts'

const loadAgain = 'Ricarica l’elenco.'

/** Sentences for the errors that a person can meet in the app, by code. `{name}` is a detail of the error. */
export const errors: ErrorWords = {
  ...accountErrors,
  ...agentErrors,
  ...backupErrors,
  ...callErrors,
  ...sandboxErrors,
  ...machineErrors,
  ...networkErrors,
  ...passkeyErrors,
  ...peopleErrors,
  ...signInErrors,
  ...previewErrors,
  ...runErrors,
  ...secretErrors,
  ...socketErrors,
  ...skillErrors,
  ...snapshotErrors,
  'attachment.not-found': {
    message: 'Questo thread non ha un allegato con questo ID.',
    remedy: 'Carica di nuovo il file.',
  },
  'call.not-found': {
    message: 'Chiamata non trovata in questo thread.',
    remedy: 'Ricarica la conversazione; la chiamata può essere stata rimossa.',
  },
  'call.not-repeatable': {
    message: 'Una chiamata di {tool} non si può eseguire di nuovo.',
    remedy: 'Puoi eseguire di nuovo comandi e codice Python. Per il resto, chiedi all’agente.',
  },
  ...connectionErrors,
  'file.changed': {
    message: '{path} è cambiato dopo essere stato letto, quindi non è stato sovrascritto.',
    remedy: 'Leggilo di nuovo e ripeti la tua modifica, o salvalo con un altro nome.',
  },
  'file.exists': {
    message: '{path} esiste già.',
    remedy: 'Usa un altro nome, o prima elimina ciò che c’è lì.',
  },
  'file.is-directory': { message: '{path} è una cartella, non un file.', remedy: 'Apri un file al suo interno.' },
  'file.not-found': { message: '{path} non esiste.', remedy: 'Controlla il percorso.' },
  'file.folder-protected': {
    message: '{path} non si può eliminare né spostare: serve alla sandbox.',
    remedy: 'Elimina invece il suo contenuto.',
  },
  'file.path-taken': {
    message: '{path} esiste già.',
    remedy: 'Scegli un altro nome, o prima elimina l’elemento esistente.',
  },
  'file.range-outside': {
    message: 'L’intervallo richiesto è fuori da {path}, che ha {sizeBytes} byte.',
    remedy: 'Ricarica il file.',
  },
  'file.refused': {
    message: 'Impossibile usare {path}: {problem}',
    remedy: 'Controlla il percorso e i suoi permessi.',
  },
  'guest.answer-unknown': {
    message: 'La sandbox ha inviato una risposta che threadbox non comprende: {problem}.',
    remedy: 'Riprova. Se continua, riavvia la sandbox.',
  },
  'guest.not-responding': {
    message: 'La sandbox è in esecuzione, ma non ha risposto entro {seconds} secondi.',
    remedy: 'Riprova. Se continua, riavvia la sandbox.',
  },
  'host.preparing': {
    message: 'Le sandbox non possono ancora avviarsi: l’host sta ancora preparando {what}.',
    remedy: 'Riprova tra qualche minuto. Se la preparazione non finisce, controlla `./threadbox logs host`.',
  },
  'gateway.guest-failed': {
    message: 'Il daemon guest della sandbox non ha potuto gestire la richiesta: {reason}',
    remedy: 'Riprova. Se continua, riavvia la sandbox.',
  },
  'gateway.path-unknown': {
    message: 'Il gateway non conosce il percorso {path}.',
    remedy: 'Usa la stessa versione di server, daemon dell’host e gateway.',
  },
  'gateway.response-unknown': {
    message: 'La risposta del gateway ({status}) non è comprensibile.',
    remedy:
      'Forse gateway e daemon dell’host hanno versioni diverse: riavvia threadbox. Se continua, controlla `threadbox logs`.',
  },
  'gateway.unreachable': {
    message: 'Il gateway verso le sandbox non risponde.',
    remedy: 'Forse si sta ancora avviando. Se continua, esegui `threadbox doctor` sul server.',
  },
  'host.unreachable': {
    message: 'Il daemon dell’host non risponde.',
    remedy: 'Forse si sta ancora avviando. Se continua, esegui `threadbox doctor` sul server.',
  },
  'internal.unexpected': {
    message: 'Qualcosa è andato storto.',
    remedy: 'Riprova. Se succede ancora, cerca l’ID della richiesta in `threadbox logs`.',
  },
  'machine.disk-full': {
    message: 'Il disco dell’host è pieno, quindi non si può salvare nulla di nuovo.',
    remedy: 'Libera spazio sul disco che contiene la directory dei dati (lo mostra `df -h`), poi riprova.',
  },
  'message.empty': {
    message: 'Il messaggio non ha né testo né allegati.',
    remedy: 'Scrivi qualcosa, o allega un file.',
  },
  'message.screenshot-not-a-picture': {
    message: 'I dati dello screenshot «{attachmentId}» non corrispondono a un’immagine allegata a questo messaggio.',
    remedy: 'Carica l’immagine come PNG, JPEG o WebP e includi il suo ID in attachmentIds.',
  },
  'message.not-delivered': {
    message: 'Il messaggio è ancora in coda.',
    remedy: 'Modificalo nella coda.',
  },
  'message.not-found': {
    message: 'Messaggio non trovato in questo thread.',
    remedy: 'Ricarica la conversazione; il messaggio può essere stato rimosso.',
  },
  'message.not-queued': {
    message: 'Il messaggio non è più in coda.',
    remedy: 'È stato inviato o rimosso. Puoi modificare un messaggio inviato e inviarlo di nuovo.',
  },
  'model.address-missing': {
    message: 'Un server compatibile con OpenAI richiede un URL di base.',
    remedy: 'Inserisci il suo URL di base, per esempio http://127.0.0.1:8000/v1.',
  },
  'model.key-missing': {
    message: '{provider} richiede una chiave API.',
    remedy: 'Inserisci una chiave, o imposta {variable} nell’ambiente del server.',
  },
  'model.key-not-for-address': {
    message: 'La chiave API in {variable} viene inviata solo all’indirizzo di {provider}.',
    remedy: 'Inserisci una chiave per questo indirizzo.',
  },
  'model.none-connected': {
    message: 'Nessun modello è collegato.',
    remedy: 'Collegane uno nelle impostazioni, o usa /run e /python, che non richiedono un modello.',
  },
  'model.not-found': { message: 'Modello non trovato.', remedy: 'Scegline uno dall’elenco dei modelli.' },
  'model.owner-only': {
    message: 'Solo il proprietario e gli amministratori di questa installazione possono modificarne i modelli.',
    remedy: 'Chiedi a uno di loro.',
  },
  'output.not-found': {
    message: 'Output non trovato in questo thread.',
    remedy: 'Ricarica la conversazione; l’output può essere stato rimosso.',
  },
  'queue.changed': {
    message: 'La coda è cambiata, quindi il nuovo ordine non corrisponde ai suoi messaggi.',
    remedy: 'Ricarica la conversazione e riordina la coda attuale.',
  },
  'queue.full': {
    message: 'Un thread può avere fino a {limit} messaggi in coda.',
    remedy: 'Aspetta che alcuni vengano inviati, o rimuovine qualcuno.',
  },
  'report.not-found': {
    message: 'Rapporto non trovato in questo thread.',
    remedy: 'L’ultimo fa parte di GET /api/v1/threads/{id}/sandbox.',
  },
  'request.host-refused': {
    message: 'Questa installazione non risponde al nome host {host}.',
    remedy: 'Aprila con il suo nome, o aggiungi questo con `--host` o `--domain`.',
  },
  'request.invalid': {
    message: 'La richiesta non è valida: {problems}',
    remedy: 'Correggi questi campi e inviala di nuovo.',
  },
  'request.not-text': {
    message: 'La richiesta contiene byte o caratteri che non sono testo.',
    remedy: 'Toglili; gli altri contenuti caricali come file.',
  },
  'request.origin-refused': {
    message: 'La richiesta è arrivata da un altro sito, quindi è stata rifiutata.',
    remedy: 'Usa l’app stessa, o una chiave API per i programmi.',
  },
  'request.too-large': {
    message: 'Il contenuto della richiesta supera {limitBytes:size}.',
    remedy: 'Invia meno dati alla volta, o carica i contenuti grandi come file.',
  },
  'rescued.not-found': {
    message: 'Questo processo non è nell’ultimo rapporto del thread.',
    remedy: 'Si possono riavviare solo i processi terminati quando la memoria è andata persa, all’ultimo avvio.',
  },
  'result.not-found': {
    message: 'Risultato non trovato in questo thread.',
    remedy: 'Ricarica la conversazione.',
  },
  'sandbox.disk-full': {
    message: 'Impossibile scrivere {path}: il disco della sandbox è pieno.',
    remedy: 'Elimina dei file nella sandbox, o alza il suo limite del disco nelle impostazioni.',
  },
  'sandbox.hold-invalid': {
    message: 'Una sandbox si può tenere sveglia fino a {days} giorni.',
    remedy: 'Scegli un momento entro i prossimi {days} giorni.',
  },
  'sandbox.not-awake': {
    message: 'Per questo la sandbox deve essere sveglia. Il suo stato è {state}.',
    remedy: 'Prima risvegliala.',
  },
  'sandbox.not-ready': {
    message: 'La sandbox non è pronta: il suo stato è {state}.',
    remedy: 'Riprova tra un momento.',
  },
  'sandbox.turn-running': {
    message: 'La sandbox non si può mettere in pausa mentre l’agente risponde.',
    remedy: 'Aspetta che finisca, o prima fermalo.',
  },
  'sandbox.wait-given-up': {
    message: 'La richiesta è stata annullata mentre aspettava l’avvio della sandbox.',
    remedy: 'Invia di nuovo la richiesta.',
  },
  'secret.unreadable': {
    message: 'Un segreto salvato non si può decifrare: è stato cifrato con un’altra chiave principale.',
    remedy: 'Ripristina `master.key` dalla stessa copia di sicurezza del database, o inserisci di nuovo il segreto.',
  },
  'server.answer-unknown': {
    message: 'Il server ha risposto con lo stato {status} e senza altre indicazioni.',
    remedy: 'Forse ha risposto un proxy al suo posto. Riprova.',
  },
  'server.unreachable': {
    message: 'Il server non ha risposto.',
    remedy: 'Controlla la connessione e riprova.',
  },
  'service.failed': {
    message: 'Il servizio «{name}» non funziona: {problem}',
    remedy: 'Leggi il suo ultimo output, correggi la causa e avvialo di nuovo.',
  },
  'service.limit-reached': {
    message: 'Un thread può avere fino a {max} servizi.',
    remedy: 'Ferma o rimuovi un servizio, o alza maxServices nelle impostazioni o per questo thread.',
  },
  'service.not-found': {
    message: 'Questo thread non ha un servizio con questo nome.',
    remedy: 'Controlla i nomi nell’elenco dei servizi del thread.',
  },
  'service.refused': {
    message: 'Impossibile avviare il servizio «{name}»: {problem}',
    remedy: 'Correggi la richiesta e avvialo di nuovo.',
  },
  'service.unanswered': {
    message: 'La sandbox non ha risposto a una richiesta sul servizio «{name}».',
    remedy: 'Controlla il suo stato, poi riprova tra un momento.',
  },
  'service.unsupported': {
    message: 'Questa sandbox ha una versione meno recente, senza servizi.',
    remedy: 'Riavvia la sandbox. I suoi file sono conservati.',
  },
  'share-link.limit-reached': {
    message: 'Un thread può avere fino a {max} link.',
    remedy: 'Prima revoca un link.',
  },
  'share-link.not-found': {
    message: 'Link non trovato in questo thread.',
    remedy: 'Controlla l’elenco dei link del thread; questo può essere scaduto.',
  },
  'setting.unknown': { message: 'Qui non c’è un’impostazione {name} da cambiare.', remedy: loadAgain },
  'setting.value-invalid': {
    message: '{name} non può avere questo valore: {problem}',
    remedy: 'Usa un valore nell’intervallo dell’impostazione, o lascia vuoto il campo per quello predefinito.',
  },
  'thread.not-found': {
    message: 'Thread non trovato.',
    remedy: 'Può essere stato eliminato. Aprine un altro dalla barra laterale, o iniziane uno nuovo.',
  },
  'thread.undo-over': {
    message: 'Questo thread non si può più recuperare: il tempo per farlo è scaduto e la sua sandbox viene eliminata.',
    remedy: 'Inizia un nuovo thread.',
  },
  'turn.not-repeatable': {
    message: 'Questo thread non ha una risposta da riprovare.',
    remedy: 'Invia un messaggio.',
  },
  'turn.running': {
    message: 'Non si può fare mentre l’agente risponde.',
    remedy: 'Aspetta che finisca, o prima fermalo.',
  },
  'upload.interrupted': {
    message: 'Il caricamento si è interrotto prima che arrivasse tutto il file. Non è stato salvato nulla.',
    remedy: 'Carica di nuovo il file.',
  },
  'upload.no-space': {
    message: 'Il disco del server è pieno, quindi il file non è stato salvato.',
    remedy: 'Libera spazio sul server, o carica un file più piccolo.',
  },
  'workspace.archived': {
    message: 'Lo spazio di lavoro {name} è archiviato e non può accogliere nuovi thread.',
    remedy: 'Prima toglilo dall’archivio.',
  },
  'workspace.name-taken': {
    message: 'Hai già uno spazio di lavoro di nome {name}.',
    remedy: 'Scegli un altro nome, o rinomina quello esistente.',
  },
  'workspace.not-found': {
    message: 'Spazio di lavoro non trovato.',
    remedy: 'Può essere stato eliminato. Scegline un altro dalla barra laterale.',
  },
  'workspace.place-invalid': {
    message: 'Uno spazio di lavoro non si può spostare prima di sé stesso.',
    remedy: 'Indica un altro spazio di lavoro prima del quale spostarlo, o null per metterlo alla fine.',
  },
  'workspace.undo-over': {
    message:
      'Questo spazio di lavoro non si può più recuperare: il tempo per farlo è scaduto e i suoi thread vengono eliminati.',
    remedy: 'Crea un nuovo spazio di lavoro.',
  },
}
