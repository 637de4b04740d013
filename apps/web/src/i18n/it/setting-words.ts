import type { SettingWords } from '../words.ts'

/** What the settings of the server are called, by name. */
export const settingWords: SettingWords = {
  sandboxMemoryBytes: { title: 'Memoria', doc: 'Memoria di ogni sandbox.' },
  sandboxCpus: { title: 'CPU', doc: 'CPU che ogni sandbox può usare; sono ammesse le frazioni.' },
  sandboxProcesses: { title: 'Processi', doc: 'Processi e thread che ogni sandbox può avere.' },
  sandboxDiskBytes: { title: 'Disco', doc: 'Disco di ogni sandbox, istantanee comprese.' },
  idlePauseMinutes: {
    title: 'Pausa dopo (minuti)',
    doc: 'Minuti di inattività dopo i quali una sandbox va in pausa.',
  },
  hotHours: {
    title: 'Conserva la memoria salvata almeno (ore)',
    doc: 'Ore dopo una pausa per le quali la memoria salvata della sandbox (programmi in esecuzione, variabili) viene conservata in ogni caso.',
  },
  hotKeep: {
    title: 'In seguito',
    doc: 'Che cosa succede dopo questo tempo. `guaranteed`: la memoria resta finché c’è spazio su disco. `strict`: viene scartata.',
  },
  maxAwakeHours: {
    title: 'Tempo massimo sveglia (ore)',
    doc: 'Ore dopo le quali una sandbox va in pausa anche se sta lavorando; viene annunciato un’ora prima.',
  },
  archiveDays: {
    title: 'Archivia dopo (giorni)',
    doc: 'Giorni senza uso dopo i quali i file di una sandbox passano nell’archivio (`THREADBOX_ARCHIVE_STORE`), da dove il prossimo uso li riporta. 0: mai.',
  },
  retentionDays: {
    title: 'Conserva i file per (giorni)',
    doc: 'Giorni senza uso dopo i quali i file di una sandbox vengono eliminati; viene annunciato una settimana prima. 0: mai.',
  },
  maxServices: {
    title: 'Servizi per thread',
    doc: 'Servizi che un thread può avere in esecuzione nello stesso momento. 1: uno nuovo sostituisce il precedente.',
  },
  rescueSeconds: {
    title: 'Limite di tempo (secondi)',
    doc: 'Secondi che può durare al massimo il salvataggio delle variabili Python prima che la memoria venga scartata.',
  },
  rescueMebibytes: {
    title: 'Limite per tutte le variabili (MiB)',
    doc: 'MiB che possono occupare al massimo tutte le variabili Python salvate di una sandbox.',
  },
  rescueVariableMebibytes: {
    title: 'Limite per variabile (MiB)',
    doc: 'MiB che può occupare al massimo una variabile Python salvata.',
  },
  snapshotsPerThread: {
    title: 'Istantanee per thread',
    doc: 'Istantanee del disco conservate per ogni thread, una per ogni risposta che l’ha modificato. 0: nessuna.',
  },
  snapshotMebibytesPerThread: {
    title: 'Spazio per le istantanee di un thread (MiB)',
    doc: 'MiB scritti tra le istantanee di un thread, prima della compressione. Oltre questo limite vengono eliminate le meno recenti.',
  },
  snapshotMebibytes: {
    title: 'Spazio per le istantanee di tutti i thread (MiB)',
    doc: 'MiB scritti tra le istantanee di tutti i thread, prima della compressione. Oltre questo limite vengono eliminate le meno recenti.',
  },
  memorySnapshotsPerThread: {
    title: 'Istantanee con memoria per thread',
    doc: 'Le istantanee più recenti di un thread che conservano anche la memoria, perché il riavvolgimento ripristini i processi in esecuzione. 0: nessuna.',
  },
  memorySnapshotMebibytes: {
    title: 'Memoria delle istantanee di tutti i thread (MiB)',
    doc: 'MiB per la memoria delle istantanee di tutti i thread. Oltre questo limite viene eliminata la meno recente. Una sola ne occupa al massimo un quarto.',
  },
  memorySnapshotMebibytesPerThreadHour: {
    title: 'Memoria delle istantanee salvata per thread e ora (MiB)',
    doc: 'MiB di memoria salvati in un’ora con le istantanee di un thread. Oltre questo limite il salvataggio attende che nell’ora ci sia posto.',
  },
  memorySnapshotMebibytesPerHour: {
    title: 'Memoria delle istantanee salvata per ora in tutti i thread (MiB)',
    doc: 'MiB di memoria salvati in un’ora con le istantanee di tutti i thread. Oltre questo limite i salvataggi attendono che nell’ora ci sia posto.',
  },
  memorySnapshotQuietSeconds: {
    title: 'Inattività prima di salvare la memoria di un’istantanea (secondi)',
    doc: 'Secondi dopo una risposta prima che con l’istantanea venga salvata la memoria. Se prima viene inviato un messaggio, non viene salvata.',
  },
  modelUsdPerMonth: {
    title: 'Limite mensile per i modelli (USD)',
    doc: 'USD per le richieste di tutti ai modelli in un mese, per i modelli con un prezzo noto. 0: nessun limite.',
  },
  unpricedModels: {
    title: 'Modelli senza prezzo',
    doc: 'Che cosa succede alle richieste a modelli senza prezzo quando vale un limite. `allowed`: non sono contate. `refused`: sono rifiutate.',
  },
  modelFallbacks: {
    title: 'Modelli che subentrano',
    doc: 'Quali modelli possono subentrare quando uno non può rispondere. `any`: tutti quelli impostati. `same-provider`: solo quelli dello stesso fornitore, così nessun altro riceve la conversazione.',
  },
  adminsMayRead: {
    title: 'Lettura da parte degli admin',
    doc: 'Se proprietario e admin possono leggere i thread di cui non fanno parte. `never`: no. `with-reason`: in sola lettura, dopo aver indicato un motivo, che i membri del thread e il registro mostrano. La pagina di accesso lo dice quando è attivo.',
  },
  timeZone: {
    title: 'Fuso orario dei rapporti e dei backup',
    doc: 'Fuso orario dei giorni e dei mesi nei rapporti sull’uso e dei backup giornalieri, per esempio `Europe/Rome`.',
  },
  backupDaily: {
    title: 'Backup giornaliero alle',
    doc: 'Quando si crea un backup ogni giorno, per esempio `03:15`, nel fuso orario dei rapporti. Vuoto: solo su richiesta. Non ha effetto finché i backup non sono configurati sulla macchina.',
  },
  adminPasskeys: {
    title: 'Passkey del proprietario e degli amministratori',
    doc: 'Se il proprietario e gli amministratori hanno bisogno di una passkey. `required`: chi non ne ha non può fare ciò che è riservato a loro finché non ne aggiunge una.',
  },
  runsAtOnce: {
    title: 'Esecuzioni contemporanee',
    doc: 'Esecuzioni di agenti che lavorano insieme per una persona. Le altre restano in coda.',
  },
  runsQueued: {
    title: 'Esecuzioni in coda',
    doc: 'Esecuzioni di agenti che possono restare in coda per una persona. Una in più viene rifiutata; se è pianificata, viene annotata come saltata.',
  },
  runHistoryDays: {
    title: 'Elenca le esecuzioni concluse per (giorni)',
    doc: 'Giorni per i quali le esecuzioni concluse restano in elenco. I loro thread restano, a meno che l’agente conservi solo quelli delle ultime esecuzioni.',
  },
  runHistoryCount: {
    title: 'Esecuzioni concluse elencate per agente',
    doc: 'Numero massimo di esecuzioni concluse in elenco per ogni agente; oltre questo limite le meno recenti escono dall’elenco.',
  },
  THREADBOX_INSTALLATION: {
    title: 'ID dell’installazione',
    doc: 'Sei caratteri, creati una volta da `up`. Fanno parte di ogni nome che crea sull’host.',
  },
  THREADBOX_DATA: {
    title: 'Directory dei dati',
    doc: 'Dove si trova tutto: versioni del programma, riserva dei dischi, database, file e chiavi.',
  },
  THREADBOX_HOST_SOCKET: {
    title: 'Socket del daemon dell’host',
    doc: 'Socket Unix a cui accede solo il gruppo del server.',
  },
  THREADBOX_GATEWAY_SOCKET: {
    title: 'Socket del gateway',
    doc: 'Socket Unix con cui il server raggiunge ciò che è in esecuzione nelle sandbox. Vi accede solo il gruppo del server.',
  },
  THREADBOX_LOG_LEVEL: { title: 'Livello di log', doc: 'Quanto viene scritto nei log.' },
  THREADBOX_LISTEN_HOST: {
    title: 'Indirizzo del server',
    doc: 'Indirizzo su cui il server è in ascolto. Qualsiasi indirizzo non di loopback lo rende raggiungibile da altri computer.',
  },
  THREADBOX_PORT: { title: 'Porta', doc: 'Porta su cui il server è in ascolto. 0: una qualsiasi porta libera.' },
  THREADBOX_BASE_DOMAIN: {
    title: 'Dominio',
    doc: 'Dominio dell’app (`app.<dominio>`) e delle anteprime. Se non è impostato: `<installazione>.localhost`.',
  },
  THREADBOX_PUBLIC_URL: {
    title: 'URL pubblico',
    doc: 'URL dell’app dietro un proxy che termina TLS.',
  },
  THREADBOX_ALLOWED_HOSTS: {
    title: 'Altri nomi',
    doc: 'Altri nomi o indirizzi dell’app, separati da virgole.',
  },
  THREADBOX_SERVER_DATA: {
    title: 'Directory del server',
    doc: 'Dove il server tiene database, file e chiavi. Se non è impostata: `<directory dei dati>/server`.',
  },
  THREADBOX_WEB_DIRECTORY: {
    title: 'App web',
    doc: 'Directory dell’app web compilata. Vuota: il server offre solo l’API.',
  },
  THREADBOX_UNDO_SECONDS: {
    title: 'Annullamento dell’eliminazione (secondi)',
    doc: 'Secondi durante i quali si può recuperare un thread eliminato.',
  },
  THREADBOX_CONNECTIONS_ALLOW: {
    title: 'Indirizzi privati per le connessioni',
    doc: 'Nomi, indirizzi e intervalli in reti private, separati da virgole, che connessioni MCP, credenziali Git e provider di accesso possono usare. Le connessioni verso questi possono non essere cifrate.',
  },
  THREADBOX_CONNECTION_SECONDS: {
    title: 'Tempo per la risposta di un server MCP (secondi)',
    doc: 'Secondi che può impiegare al massimo una risposta di un server MCP, e che può restare in silenzio un server Git.',
  },
  THREADBOX_CONNECTION_ANSWER_MEBIBYTES: {
    title: 'Risposta più grande di un server MCP (MiB)',
    doc: 'Dimensione massima in MiB della risposta di un server MCP.',
  },
  THREADBOX_CONNECTION_PROGRAMS: {
    title: 'Programmi come connessioni',
    doc: 'Numero massimo di connessioni per persona che eseguono un programma in una propria sandbox. 0: nessuna.',
  },
  THREADBOX_CONNECTION_PROGRAM_MEBIBYTES: {
    title: 'Memoria per i programmi delle connessioni (MiB)',
    doc: 'Memoria in MiB della sandbox che esegue il programma di una connessione. Usata solo mentre è in esecuzione.',
  },
  THREADBOX_MAX_TURN_STEPS: {
    title: 'Passi per risposta',
    doc: 'Numero massimo di chiamate al modello in una risposta. Raggiunto il limite, la risposta si ferma e offre di continuare.',
  },
  THREADBOX_MAX_TURN_MINUTES: {
    title: 'Minuti per risposta',
    doc: 'Durata massima di una risposta in minuti, comandi compresi.',
  },
  THREADBOX_MAX_TURN_TOKENS: {
    title: 'Token per risposta',
    doc: 'Numero massimo di token in una risposta: quelli in input, anche dalla cache, più quelli in output.',
  },
  THREADBOX_MAX_TURN_USD: {
    title: 'Costo per risposta',
    doc: 'Costo massimo di una risposta in USD, per i modelli di cui si conosce il prezzo. 0: nessun limite.',
  },
  THREADBOX_MAX_ANSWER_TOKENS: {
    title: 'Token di output per passo',
    doc: 'Numero massimo di token in output per chiamata al modello, fino a un quarto della finestra di contesto.',
  },
  THREADBOX_COMPACT_AT_PERCENT: {
    title: 'Riassunto a partire da',
    doc: 'Quanto può riempirsi la finestra di contesto, in percentuale, prima che i messaggi meno recenti vengano riassunti.',
  },
  THREADBOX_TOOL_OUTPUT_CHARACTERS: {
    title: 'Output per il modello',
    doc: 'Numero massimo di caratteri dell’output di uno strumento dati al modello: inizio e fine. L’output completo viene salvato in un file che il modello può leggere.',
  },
  THREADBOX_SAVED_OUTPUT_MEBIBYTES: {
    title: 'Output salvato',
    doc: 'Dimensione massima in MiB di un output salvato anche come file nella sandbox per l’agente. La tua copia non ha limiti.',
  },
}
