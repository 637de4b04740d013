import type { ErrorWords } from '../words.ts'

/** Errors of sandboxes, their network access and the credentials that they use. */
export const sandboxErrors: ErrorWords = {
  'archive.disk-changed': {
    message: 'Il disco di {sandboxId} è stato modificato durante l’archiviazione, quindi resta qui.',
    remedy: 'Archivialo di nuovo quando non è più in uso.',
  },
  'archive.files-lost': {
    message: 'I file archiviati della sandbox non possono essere ripristinati: {reason} La conversazione è conservata.',
    remedy: 'Chiedi a un amministratore di rimettere nell’archivio gli oggetti mancanti, poi riprova.',
  },
  'archive.no-space': {
    message:
      'La sandbox non può essere ripristinata dall’archivio: servono {neededBytes} byte sul disco dell’host e ne sono liberi {freeBytes}.',
    remedy:
      'Elimina thread o snapshot, o ingrandisci il pool di dischi, poi riprova. I file archiviati sono conservati.',
  },
  'archive.not-asleep': {
    message: 'Si può archiviare solo una sandbox con file che non è attiva. Il suo stato è {state}.',
    remedy: 'Mettila in pausa o aspetta che lo sia.',
  },
  'archive.not-set-up': {
    message: 'Questa installazione non ha un archivio.',
    remedy: 'Imposta THREADBOX_ARCHIVE_STORE su una cartella di un altro disco o su un bucket, poi riavvia threadbox.',
  },
  'archive.part-lost': {
    message: 'Parte {part} dei file archiviati nell’archivio: {state}.',
    remedy: 'Rimetti gli oggetti nell’archivio, per esempio da una copia, poi riprova.',
  },
  'archive.store-unreachable': {
    message: 'L’archivio non può essere usato: {reason}',
    remedy: 'Riprova quando l’archivio è raggiungibile. Non è andato perso niente: i file archiviati sono conservati.',
  },
  'sandbox.archived': {
    message: 'La sandbox {sandboxId} è archiviata: i suoi file non sono su questo host.',
    remedy: 'Prima ripristinala.',
  },
  'environment.id-taken': { message: 'La sandbox {sandboxId} esiste già.', remedy: 'Usa un altro ID.' },
  'environment.in-use': { message: 'Il disco di {sandboxId} è in uso.', remedy: 'Prima ferma la sandbox.' },
  'environment.not-cleaned': {
    message: 'Impossibile esaminare la copia: {problem}',
    remedy: 'Riprova. Se succede ancora, controlla il log del daemon dell’host.',
  },
  'environment.not-packed': {
    message: 'Impossibile creare l’archivio del disco: {problem}',
    remedy: 'Riprova. Se succede ancora, controlla il log del daemon dell’host.',
  },
  'environment.not-searched': {
    message: 'Impossibile cercare nella memoria della copia: {problem}',
    remedy: 'Riprova. Se succede ancora, controlla il log del daemon dell’host.',
  },
  'environment.other-image': {
    message: 'Il disco richiede l’immagine di base {wanted}, ma questa installazione ha {present}.',
    remedy: 'Aggiorna entrambe le installazioni alla stessa versione, poi ripeti l’esportazione.',
  },
  'fork.id-taken': {
    message: 'La sandbox {sandboxId} esiste già e non è un fork in corso.',
    remedy: 'Crea il fork con un nuovo ID.',
  },
  'git-credential.push-refused': {
    message: 'La credenziale Git per {repository} su {host} è in sola lettura, quindi non è stato fatto alcun push.',
    remedy: 'Il push si può consentire in Impostazioni → Git.',
  },
  'git-credential.repository-missing': {
    message: '{repository} non esiste su {host}, o il token non vi ha accesso.',
    remedy: 'Controlla il nome del repository e i permessi del token.',
  },
  'git-credential.repository-not-covered': {
    message: 'Nessuna credenziale Git di questo thread vale per {repository} su {host}.',
    remedy:
      'Attivane una nel pannello della sandbox del thread, o aggiungi il repository a una credenziale in Impostazioni → Git.',
  },
  'git-credential.request-refused': {
    message: 'threadbox inoltra solo git clone, fetch e push: {problem}',
    remedy:
      'Usa git via HTTPS. Git LFS e altri servizi non possono usare la credenziale; per raggiungerli senza, esegui `GIT_CONFIG_COUNT=0 git …`.',
  },
  'git-credential.server-failed': {
    message: 'Impossibile usare {host}: {problem}',
    remedy: 'Controlla il server nella credenziale Git, o riprova più tardi.',
  },
  'git-credential.taken-back': {
    message:
      'La credenziale Git è stata rimossa, modificata o sostituita mentre git la usava per {repository} su {host}.',
    remedy: 'Esegui di nuovo il comando git. Userà la credenziale attuale.',
  },
  'git-credential.token-refused': {
    message: '{host} ha rifiutato il token della credenziale Git (stato HTTP {status}).',
    remedy:
      'Il token può essere scaduto o non avere i permessi necessari. Inseriscine uno nuovo in Impostazioni → Git.',
  },
  'git-credential.too-many-requests': {
    message: 'Sono già in corso più di {limit} richieste git.',
    remedy: 'Riprova quando alcune sono terminate.',
  },
  'host.busy': {
    message: 'L’host ha lavori più urgenti.',
    remedy: 'Riprova tra qualche secondo.',
  },
  'host.image-missing': {
    message: 'Non c’è un’immagine di base per le nuove sandbox.',
    remedy: 'Esegui di nuovo `threadbox up`. Crea l’immagine e imposta THREADBOX_IMAGE.',
  },
  'host.no-memory': {
    message:
      'La sandbox richiede {neededBytes:size} di memoria, ma ne sono liberi solo {availableBytes:size}; sandbox sveglie: {awakeSandboxes}.',
    remedy: 'Metti in pausa una sandbox che non ti serve, o aspetta che una vada in pausa.',
  },
  'host.shutting-down': { message: 'Il daemon dell’host si sta spegnendo.', remedy: 'Avvia di nuovo threadbox.' },
  'rescue.disk-full': {
    message: 'Il disco è pieno. Non si è potuto salvare nulla, quindi non è stato fermato nulla.',
    remedy: 'Libera spazio sul disco della sandbox, o alza il suo limite.',
  },
  'rescue.not-in-sandbox': {
    message:
      'Il daemon guest non è in esecuzione in una sandbox. Per salvare lo stato fermerebbe tutti gli altri processi, quindi non è stato salvato nulla.',
    remedy: 'Avvia il daemon guest in una sandbox.',
  },
  'rescue.process-unknown': {
    message: 'Non c’è un processo salvato con l’ID «{id}».',
    remedy: 'Controlla nel rapporto quali processi si possono riavviare.',
  },
  'rescue.request-invalid': {
    message: 'La richiesta di salvataggio non è valida: {problem}',
    remedy: 'Invia un limite di tempo e limiti in byte maggiori di zero.',
  },
  'rescue.running': {
    message: 'La sandbox sta salvando il suo stato e ora non può avviare nulla.',
    remedy: 'Riprova tra un momento. Si risveglia automaticamente.',
  },
  'sandbox.boot-used': {
    message: 'L’avvio {bootId} è già terminato.',
    remedy: 'Avvia la sandbox con un nuovo ID di avvio.',
  },
  'sandbox.deleting': {
    message: 'L’eliminazione della sandbox {sandboxId} è in corso.',
    remedy: 'Usa un’altra sandbox.',
  },
  'sandbox.disk-not-readable': {
    message: 'Al momento i file di questa sandbox non si possono leggere dall’host.',
    remedy: 'Risveglia la sandbox, poi leggili.',
  },
  'sandbox.ended': {
    message: 'La sandbox si è fermata mentre elaborava la richiesta: {detail}',
    remedy: 'Avvia di nuovo la sandbox. I suoi file sono conservati, i suoi processi non ci sono più.',
  },
  'sandbox.guest-ended-early': {
    message: 'La sandbox si è fermata prima di essere pronta: {detail}',
    remedy: 'Riprova. Se succede ancora, esegui `threadbox doctor`, che prova una sandbox reale.',
  },
  'sandbox.guest-silent': {
    message: 'La sandbox si è avviata, ma il suo daemon guest non era pronto dopo {waitedMs} ms: {reason}',
    remedy: 'Riprova. Se succede ancora, esegui `threadbox doctor`, che prova una sandbox reale.',
  },
  'sandbox.guest-unreachable': {
    message: 'La sandbox è in esecuzione, ma la connessione al suo daemon guest non è riuscita: {reason}',
    remedy: 'Riprova. Se continua, riavvia la sandbox.',
  },
  'sandbox.memory-unusable': {
    message: 'La memoria salvata della sandbox non si può usare ({reason}): {detail}',
    remedy:
      'Avvia la sandbox dal suo disco. I suoi file sono conservati; ciò che era solo in memoria, come i programmi in esecuzione, va perso.',
  },
  'sandbox.no-room-for-memory': {
    message:
      'Per salvare la memoria della sandbox servono {neededBytes:size}, ma nella riserva dei dischi sono liberi solo {availableBytes:size}.',
    remedy: 'Elimina i thread che non ti servono, o ingrandisci la riserva (THREADBOX_POOL_SIZE).',
  },
  'sandbox.not-found': { message: 'Sandbox {sandboxId} non trovata su questo host.', remedy: 'Prima crea la sandbox.' },
  'sandbox.not-paused': {
    message: 'La sandbox non è in pausa, quindi non ha memoria salvata da scartare.',
    remedy: 'Prima mettila in pausa, o fermala.',
  },
  'sandbox.not-running': { message: 'La sandbox non è in esecuzione.', remedy: 'Prima avviala.' },
  'sandbox.other-boot': {
    message: 'La richiesta riguarda l’avvio {bootId}, ma nella sandbox è in esecuzione l’avvio {currentBootId}.',
    remedy: 'Leggi lo stato attuale della sandbox e decidi di nuovo.',
  },
  'sandbox.pause-abandoned': {
    message: 'La pausa è stata annullata perché la sandbox serviva.',
    remedy: 'Mettila in pausa più tardi.',
  },
  'sandbox.pause-failed': {
    message: 'Impossibile mettere in pausa la sandbox: {reason}',
    remedy: 'Controlla lo spazio libero nella riserva dei dischi; `threadbox doctor` segnala che cosa scarseggia.',
  },
  'sandbox.pause-unsupported': {
    message: 'Le sandbox {driver} non si possono mettere in pausa.',
    remedy: 'Ferma la sandbox. I suoi file sono conservati.',
  },
  'sandbox.paused': { message: 'La sandbox è in pausa.', remedy: 'Prima risvegliala.' },
  'sandbox.pausing': {
    message: 'La sandbox sta andando in pausa.',
    remedy: 'Risvegliala. La richiesta aspetta che la sospensione sia completata.',
  },
  'sandbox.port-closed': {
    message: 'La porta {port} della sandbox non risponde: {reason}',
    remedy: 'Avvia il servizio, o controlla il suo output se dovrebbe essere in esecuzione.',
  },
  'sandbox.rest-not-ended': {
    message: 'La sandbox inattiva non ha ripreso entro {seconds} secondi.',
    remedy: 'Riprova. Se continua, controlla `threadbox logs`.',
  },
  'sandbox.route-blocked': {
    message: 'La route {path} del guest è riservata al daemon dell’host.',
    remedy: 'Usa l’API del daemon dell’host.',
  },
  'skill.package-invalid': {
    message: 'I dati non corrispondono al pacchetto della skill {digest}.',
    remedy: 'Usa la stessa versione di server e daemon dell’host, poi inviali di nuovo.',
  },
  'snapshot.id-taken': {
    message: 'L’istantanea {snapshotId} esiste già e appartiene a un’altra sandbox.',
    remedy: 'Crea l’istantanea con un nuovo ID.',
  },
}
