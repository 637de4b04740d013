import type { ErrorWords } from '../words.ts'

/** Errors of the machine, of an installation, and of requests between its processes. */
export const machineErrors: ErrorWords = {
  'blob.key-invalid': {
    message: '{key} non è una chiave valida per un blob.',
    remedy: 'È un bug di threadbox. Segnalalo con l’ID della richiesta.',
  },
  'blob.offset-invalid': {
    message: 'Alla posizione {offset} non si può accodare nulla a un blob di {sizeBytes} byte.',
    remedy: 'È un bug di threadbox. Segnalalo con l’ID della richiesta.',
  },
  'bundle.file-exists': {
    message: '{file} esiste già, quindi il pacchetto di supporto non è stato scritto.',
    remedy: 'Indica un altro file dopo --bundle, oppure rimuovi questo.',
  },
  'bundle.not-written': {
    message: 'Impossibile scrivere il pacchetto di supporto {file}: {reason}',
    remedy: 'Indica un file in una cartella con spazio libero in cui puoi scrivere.',
  },
  'config.setting-invalid': {
    message: 'L’impostazione {name} non è valida: {problem}',
    remedy: 'Correggi {name} nell’ambiente o in threadbox.env, poi riavvia.',
  },
  'disk.command-failed': {
    message: '`{command}` non è riuscito: {reason}',
    remedy: 'Esegui `threadbox doctor` per controllare se questo host ha tutto ciò che serve ai dischi delle sandbox.',
  },
  'disk.id-invalid': {
    message: '«{id}» non è un ID valido per un disco o un’immagine.',
    remedy: 'Usa da 1 a 64 caratteri: a–z, 0–9, «.», «_» e «-», con una lettera o una cifra all’inizio.',
  },
  'disk.image-in-use': {
    message: 'L’immagine {imageId} non si può eliminare. Dischi che la usano: {diskCount}.',
    remedy: 'Prima elimina quei dischi.',
  },
  'disk.image-not-found': {
    message: 'Immagine {imageId} non trovata nella riserva dei dischi.',
    remedy: 'Esegui `threadbox up` per crearla.',
  },
  'disk.limit-invalid': {
    message: '{limitBytes:size} non è un limite del disco valido.',
    remedy: 'Usa un numero intero di byte, almeno 1 MiB.',
  },
  'disk.machine-full': {
    message:
      'Alla riserva dei dischi in {path} servono altri {neededBytes:size} sul suo disco, compreso lo spazio che deve restare libero; sono liberi solo {availableBytes:size}.',
    remedy:
      'Libera spazio su quel disco, scegli una riserva più piccola (THREADBOX_POOL_SIZE), o usa un’altra directory dei dati.',
  },
  'disk.no-room-for-snapshot': {
    message: 'Impossibile creare un’istantanea, perché il disco della sandbox è pieno: {reason}',
    remedy: 'Elimina file o istantanee meno recenti della sandbox, o alza il suo limite del disco.',
  },
  'disk.not-found': {
    message: 'Disco {diskId} non trovato nella riserva dei dischi.',
    remedy: 'Puoi sostituire la sandbox con una nuova. I file sul disco perso non si possono recuperare.',
  },
  'disk.pool-busy': {
    message: 'La riserva dei dischi in {path} non si può usare o rilasciare: {reason}',
    remedy: 'Ferma ciò che la usa (`threadbox down` ferma tutte le sandbox), poi riprova.',
  },
  'disk.pool-full': {
    message:
      'Impossibile creare un disco: nella riserva dei dischi sono liberi {availableBytes:size}, di cui {reservedBytes:size} riservati alle immagini e alla memoria salvata.',
    remedy: 'Elimina i thread che non ti servono, o ingrandisci la riserva (THREADBOX_POOL_SIZE).',
  },
  'disk.pool-sparse': {
    message:
      'Il file {path} della riserva è di {sizeBytes:size}, ma ne sono allocati solo {allocatedBytes:size}. Se il disco sottostante si riempie, le sandbox perdono dati già salvati.',
    remedy:
      'Assicurati che il disco abbia abbastanza spazio, esegui `fallocate -l {sizeBytes} {path}` (il contenuto resta), poi riavvia.',
  },
  'disk.pool-unsupported': {
    message: 'Impossibile allocare la riserva dei dischi in {path}: {reason}',
    remedy: 'Usa una directory dei dati su ext4, xfs o btrfs, su un host con btrfs e dispositivi loop.',
  },
  'disk.snapshot-not-found': {
    message: 'Il disco {diskId} non ha l’istantanea {snapshotId}.',
    remedy: 'Usa un’istantanea esistente del disco.',
  },
  'disk.snapshots-unsupported': {
    message:
      'Questa riserva dei dischi usa quote complete, con cui un’istantanea permetterebbe a un disco di superare il suo limite. Le istantanee sono disattivate.',
    remedy: 'Usa Linux 6.7 o successivo e una directory dei dati che non sia su un tuo file system btrfs.',
  },
  'disk.too-many-files': {
    message:
      'Il disco è troppo grande per un confronto: ha più di {mostFiles} nomi, o più di {mostMebibytes} MiB di nomi.',
    remedy: 'Elimina file o cartelle che non servono alla sandbox, poi riprova.',
  },
  'driver.boot-failed': {
    message: 'Impossibile avviare la sandbox: {reason}',
    remedy: 'Esegui `threadbox doctor`. Avvia una sandbox di prova e segnala che cosa manca.',
  },
  'driver.boot-not-running': { message: 'L’avvio {bootId} non è in esecuzione.', remedy: 'Avvia di nuovo la sandbox.' },
  'driver.boot-running': {
    message: 'I dati registrati dell’avvio {bootId} non si possono rimuovere: è ancora in esecuzione.',
    remedy: 'Prima fermalo.',
  },
  'driver.boot-unknown': { message: 'Avvio {bootId} non trovato.', remedy: 'Avvia di nuovo la sandbox.' },
  'driver.boot-used': {
    message: 'L’avvio {bootId} è già terminato. Un ID di avvio si può usare una volta sola.',
    remedy: 'Avvia la sandbox con un nuovo ID di avvio.',
  },
  'driver.cgroups-missing': {
    message: 'Le sandbox non possono usare il controller cgroup {controller} del kernel.',
    remedy:
      'Attiva il controller {controller} (parametro del kernel `cgroup_enable={controller}`; un container va eseguito con un proprio albero cgroup), poi riavvia.',
  },
  'driver.memory-not-saved': {
    message: 'Impossibile salvare la memoria della sandbox: {reason}',
    remedy:
      'La sandbox resta in esecuzione. Controlla lo spazio libero su disco; `threadbox doctor` segnala che cosa scarseggia.',
  },
  'driver.memory-unusable': {
    message: 'La memoria salvata della sandbox non si può usare ({problem}): {detail}',
    remedy: 'Avvia la sandbox dal suo disco.',
  },
  'driver.runsc-failed': {
    message: '`runsc {verb}` non è riuscito (codice di uscita {exitCode}): {reason}',
    remedy: 'Esegui `threadbox doctor`. Avvia una sandbox di prova e segnala che cosa manca.',
  },
  'driver.runsc-missing': {
    message: 'Impossibile eseguire runsc di gVisor: {path} non esiste.',
    remedy: 'Esegui di nuovo `threadbox up` per installare runsc.',
  },
  'egress.name-not-reached': {
    message: 'Non c’è connessione con {name}: {reason}.',
    remedy: 'Controlla il nome, e se il suo server è in esecuzione.',
  },
  'egress.path-unknown': {
    message: 'Il processo egress non conosce il percorso {path}.',
    remedy: 'Usa la stessa versione di server, daemon dell’host e processo egress.',
  },
  'egress.response-unknown': {
    message: 'La risposta del processo che collega le sandbox a internet ({status}) non è comprensibile.',
    remedy:
      'Forse il processo e il resto di threadbox hanno versioni diverse: riavvia threadbox. Se continua, controlla `threadbox logs`.',
  },
  'egress.unreachable': {
    message: 'Il processo che collega le sandbox a internet non risponde.',
    remedy: 'Forse si sta ancora avviando. Se continua, esegui `threadbox doctor` sul server.',
  },
  'guest.body-unreadable': {
    message: 'Impossibile leggere il contenuto della richiesta: {problem}',
    remedy: 'Invia JSON di al massimo 1 MiB.',
  },
  'guest.git-request-gone': {
    message: 'Questa richiesta git è terminata o è già in corso di gestione.',
    remedy: 'Se git ha segnalato un errore, esegui di nuovo il suo comando.',
  },
  'guest.init-invalid': {
    message: 'L’handshake non è valido: {problem}',
    remedy: 'Invia tutti i campi dell’handshake.',
  },
  'guest.route-unknown': { message: 'Non c’è nulla in {path}.', remedy: 'Controlla il metodo e il percorso.' },
  'guest.template-refused': {
    message: 'Questa sandbox non si può usare come template: {problem}',
    remedy: 'Crea il template da una sandbox mai usata.',
  },
  'guest.token-wrong': {
    message: 'Accesso negato: il token di accesso manca o è errato.',
    remedy: 'Invia il token di accesso che l’host ha impostato per questo avvio.',
  },
  'host.answer-unknown': {
    message: 'Il daemon dell’host ha inviato una risposta che il server non comprende ({status}).',
    remedy:
      'Forse server e daemon dell’host hanno versioni diverse: riavvia threadbox. Se continua, controlla `threadbox logs`.',
  },
  'host.path-unknown': {
    message: 'Il daemon dell’host non ha una route {path}.',
    remedy: 'Usa la stessa versione di server e daemon dell’host.',
  },
  'host.request-invalid': { message: 'La richiesta non è valida: {problem}', remedy: 'Correggi la richiesta.' },
  'host.socket-taken': {
    message: 'Un altro daemon dell’host è già in esecuzione in {path}.',
    remedy: 'Fermalo, o usa un’altra directory dei dati.',
  },
  'host.token-wrong': {
    message: 'Il token dell’host nella richiesta manca o è errato.',
    remedy: 'Usa lo stesso file del token per il server e il daemon dell’host.',
  },
  'image.archive-broken': {
    message: 'Impossibile estrarre l’immagine {archive}: {reason}',
    remedy: 'Elimina il file ed esegui di nuovo `threadbox up` per crearne uno nuovo.',
  },
  'installation.missing': {
    message: 'Nessuna installazione di threadbox trovata in {dataDirectory}, o non hai il permesso di leggerla.',
    remedy: 'Esegui `./threadbox up`, o indica la cartella con --data-dir. Se appartiene a root, usa sudo.',
  },
  'installation.sandboxes-not-stopped': {
    message:
      'Impossibile fermare tutte le sandbox: il daemon dell’host ha risposto con lo stato HTTP {status}. Alcune potrebbero essere ancora in esecuzione.',
    remedy: 'Cerca la causa in `./threadbox logs host`, poi esegui di nuovo il comando.',
  },
  'logs.unknown': { message: 'Non c’è un log di nome {name}.', remedy: 'Usa uno di questi: server, host, supervisor.' },
  'network.address-in-use': {
    message: 'L’indirizzo {address} appartiene alla sandbox {sandboxId}.',
    remedy: 'Usa un altro indirizzo, o prima elimina quella sandbox.',
  },
  'network.address-invalid': {
    message: '«{address}» non è un indirizzo valido per una sandbox in {pool}.',
    remedy: 'Usa uno degli indirizzi elencati dalla rete.',
  },
  'network.attached-elsewhere': {
    message: 'La sandbox {sandboxId} è già collegata con l’indirizzo {address}.',
    remedy: 'Prima scollegala.',
  },
  'network.command-failed': {
    message: '`{command}` non è riuscito: {reason}',
    remedy: 'Esegui `threadbox doctor` per controllare che cosa serve alle reti su questo host.',
  },
  'network.egress-invalid': {
    message: '«{name}» non è valido nell’elenco dei nomi host consentiti.',
    remedy:
      'Inserisci un nome host come index.example.net, o *.example.com per tutti i suoi sottodomini, entrambi anche con una porta (example.com:8443).',
  },
  'network.id-invalid': {
    message: '«{id}» non è un ID valido per un’installazione o una sandbox.',
    remedy: 'Usa da 1 a 64 caratteri: a–z, 0–9 e «-». L’ID di un’installazione ha sei caratteri tra a–z e 0–9.',
  },
  'network.no-address-left': {
    message: 'Tutti gli indirizzi nell’intervallo {pool} sono in uso.',
    remedy: 'Elimina i thread che non ti servono, o imposta un intervallo più grande (THREADBOX_NETWORK_POOL).',
  },
  'network.not-attached': {
    message: 'La sandbox {sandboxId} non ha una rete.',
    remedy: 'Avvia la sandbox per collegarla.',
  },
  'network.pool-invalid': {
    message: 'L’intervallo di indirizzi {pool} non si può usare per le sandbox: {reason}',
    remedy: 'Imposta THREADBOX_NETWORK_POOL su un intervallo IPv4 privato libero, come 198.18.0.0/18 o 10.201.0.0/16.',
  },
  'request.cursor-invalid': {
    message: 'Il cursore non è valido.',
    remedy: 'Inizia senza cursore, poi passa `next` così com’è.',
  },
  'request.not-json': {
    message: 'Il contenuto della richiesta non è JSON valido.',
    remedy: 'Invia JSON in UTF-8 con l’header `content-type: application/json`.',
  },
  'route.not-found': {
    message: 'L’API non ha questa route.',
    remedy: 'Le route disponibili sono in /api/v1/openapi.json.',
  },
  'secret.master-key-invalid': {
    message: '{path} non è una chiave principale valida: il file deve contenere 64 cifre esadecimali.',
    remedy: 'Ripristina il file da una copia di sicurezza. Senza, i segreti salvati non si possono decifrare.',
  },
}
