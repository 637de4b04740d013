import type { ErrorWords } from '../words.ts'

/** Errors of commands, cells, files, pages and services: those that the cards of calls show. */
export const callErrors: ErrorWords = {
  'call.input-invalid': {
    message: 'La chiamata dello strumento non è valida: {problem}',
    remedy: 'Chiama uno strumento disponibile, con un input che corrisponda al suo schema di input.',
  },
  'call.interrupted': {
    message: 'threadbox o la sandbox si sono fermati durante l’esecuzione; non si sa a che punto fosse arrivata.',
    remedy: 'Controlla che cosa ha modificato, prima di ripeterla.',
  },
  'call.stopped': {
    message: 'Questa chiamata è stata fermata. Può essere stata eseguita in parte.',
    remedy: 'Ripetila solo su richiesta esplicita.',
  },
  'command.out-of-memory': {
    message: 'La chiamata ha superato il limite di memoria della sandbox ed è stata terminata. {detail}',
    remedy: 'Elabora meno dati alla volta, o alza il limite di memoria della sandbox e ripeti la chiamata.',
  },
  'command.out-of-processes': {
    message: 'La chiamata ha superato il limite di processi della sandbox ed è stata terminata. {detail}',
    remedy: 'Avvia meno processi alla volta, o alza il limite di processi della sandbox e ripeti la chiamata.',
  },
  'command.signalled': {
    message: 'Il comando è stato terminato dal segnale {signal}, che threadbox non ha inviato.',
    remedy: 'Scopri da dove è arrivato: da un altro comando, dal programma stesso o da un limite della sandbox.',
  },
  'command.timed-out': {
    message: 'La chiamata ha superato il suo limite di tempo di {seconds} s ed è stata fermata.',
    remedy: 'Imposta un limite di tempo più lungo, o eseguila in background e controllala più tardi.',
  },
  'context.language-unsupported': {
    message: 'Questa sandbox non ha un kernel per «{language}».',
    remedy: 'Usa python, o esegui il programma come comando.',
  },
  'context.request-invalid': { message: 'La richiesta non è valida: {problem}', remedy: 'Correggi la richiesta.' },
  'context.unknown': {
    message: 'Contesto di codice «{id}» non trovato.',
    remedy: 'Creane uno, o ometti il contesto per usare il kernel del thread.',
  },
  'edit.changes-nothing': {
    message: 'old_text e new_text sono uguali.',
    remedy: 'Lascia il file com’è, o indica un new_text diverso.',
  },
  'edit.text-not-found': {
    message: 'old_text non si trova in {path}. {hint}',
    remedy: 'Leggi quella parte del file e copia il testo esattamente, compresi spazi e fine riga.',
  },
  'edit.text-not-unique': {
    message: 'old_text compare {count} volte in {path}, alle righe {lines}.',
    remedy: 'Includi altre righe vicine per renderlo univoco, o imposta replace_all.',
  },
  'file.disk-full': {
    message: 'Nella sandbox non c’è abbastanza spazio su disco per {path}.',
    remedy: 'Elimina dei file nella sandbox, o alza il suo limite del disco.',
  },
  'file.forbidden': {
    message: 'Permesso negato: {path}',
    remedy: 'Usa un altro percorso, cambia i permessi di questo, o esegui come root.',
  },
  'file.is-binary': {
    message: '{path} ({sizeBytes:size}) non è testo UTF-8.',
    remedy: 'Usa view_image per le immagini, run_python per i formati di dati, oppure `file` e `xxd` con run_command.',
  },
  'file.missing': {
    message: '{path} non esiste.',
    remedy: 'Controlla il percorso, o elenca il contenuto della cartella superiore.',
  },
  'file.path-invalid': {
    message: 'Impossibile usare {path}: {problem}.',
    remedy: 'Usa il percorso di un file normale o di una cartella.',
  },
  'file.path-is-directory': {
    message: 'Impossibile usare {path}: è una cartella.',
    remedy: 'Usa il percorso di un file normale.',
  },
  'file.range-invalid': {
    message: 'L’intervallo è fuori da {path}.',
    remedy: 'Richiedi un intervallo all’interno del file.',
  },
  'file.server-down': {
    message: 'Il server dei file dell’utente «{user}» si è fermato.',
    remedy: 'Riprova. Si riavvia automaticamente.',
  },
  'file.signature-expired': { message: 'La firma è scaduta.', remedy: 'Richiedi un nuovo indirizzo.' },
  'file.too-large': {
    message: '{path} supera il limite di questo strumento ({limitBytes:size}).',
    remedy: 'Usa invece un comando o Python.',
  },
  'file.unavailable': {
    message: 'Impossibile usare {path}: {problem}',
    remedy: 'Controllane il tipo e i permessi con `ls -l`. Se serve, usa run_command con sudo.',
  },
  'file.upload-invalid': {
    message: 'Impossibile leggere il caricamento: {problem}.',
    remedy: 'Invia i byte come application/octet-stream, oppure come multipart/form-data nel campo «file».',
  },
  'file.watcher-unknown': { message: 'Watcher {id} non trovato.', remedy: 'Creane uno nuovo.' },
  'guest.response-too-large': {
    message: 'La sandbox ha risposto con più di {limitMebibytes} MiB in una volta.',
    remedy:
      'Richiedi meno dati alla volta, oppure scrivili in un file e leggi quello. La sandbox continua a funzionare.',
  },
  'image.not-shown': {
    message: 'Impossibile visualizzare {path}: {problem}',
    remedy:
      'Converti l’immagine in un file PNG o JPEG di al massimo 4 MiB (per esempio con Pillow), poi visualizza quel file.',
  },
  'kernel.died': {
    message: 'Il kernel Python è terminato durante l’esecuzione della cella ({how}). Le sue variabili sono perse.',
    remedy: 'Esegui di nuovo le celle che ti servono. Un nuovo kernel si avvia automaticamente.',
  },
  'kernel.not-answering': {
    message: 'Il kernel Python non risponde: {problem}',
    remedy: 'Aspetta che la sua cella finisca, o ferma la cella.',
  },
  'kernel.not-started': {
    message: 'Impossibile avviare il kernel Python: {problem}',
    remedy: 'Controlla che `python3 -m ipykernel --version` funzioni nella sandbox.',
  },
  'launch.directory-missing': {
    message: 'La directory di lavoro {path} non esiste o non è una directory.',
    remedy: 'Prima creala, o ometti la directory di lavoro.',
  },
  'launch.program-not-started': {
    message: 'Impossibile avviare {program}: {problem}',
    remedy:
      'Controlla che il programma esista, che questo utente possa eseguirlo e che il limite di processi non sia stato raggiunto.',
  },
  'output.not-kept': {
    message: 'I byte da {from} a {to} (escluso) di questo output non sono stati conservati.',
    remedy: 'Leggi prima del byte {from} o dal byte {to} in poi.',
  },
  'page.browser-failed': {
    message: 'Errore del browser nella sandbox: {detail}',
    remedy: 'Riprova. Se continua, controlla memoria, processi e disco della sandbox.',
  },
  'page.browser-missing': {
    message:
      'Questa sandbox non ha un browser: è stata creata prima che l’immagine di base ne includesse uno, o il browser è stato rimosso.',
    remedy: 'Installane uno: `sudo apt-get update && sudo apt-get install -y chromium-headless-shell`.',
  },
  'page.crashed': {
    message: '{url} ha mandato in crash il browser. {detail}',
    remedy: 'Riduci l’uso di memoria della pagina.',
  },
  'page.flooded': {
    message: '{url} ha scritto nella console più output di quanto se ne possa leggere. {detail}',
    remedy: 'Riduci l’output della pagina nella console.',
  },
  'page.look-unsupported': {
    message: 'Questa sandbox ha una versione meno recente, che non può mostrare pagine.',
    remedy: 'Riavvia la sandbox. I suoi file sono conservati.',
  },
  'page.no-answer': {
    message: '{url} ha accettato la richiesta, ma non ha inviato una risposta. {detail}',
    remedy: 'Controlla il log del servizio. Se la pagina è solo lenta, imposta timeout_seconds.',
  },
  'page.not-local': {
    message: '{url} non è una pagina di questa sandbox.',
    remedy:
      'Usa il nome di un servizio o http://localhost:<porta>/. Le altre pagine scaricale con un comando o con Python.',
  },
  'page.not-responding': {
    message: 'Gli script di {url} non si sono mai fermati, quindi la pagina non si è potuta catturare. {detail}',
    remedy: 'Cerca un ciclo infinito nei suoi script.',
  },
  'page.too-much-memory': {
    message: 'La pagina {url} ha usato troppa memoria ed è stata chiusa. {detail}',
    remedy: 'Riduci l’uso di memoria della pagina, o alza il limite di memoria della sandbox.',
  },
  'page.unreachable': {
    message: 'Impossibile aprire {url}: {detail}',
    remedy:
      'Usa list_services per vedere che cosa è in esecuzione e su quale porta, e service_logs per capire perché un servizio non lo è.',
  },
  'process.input-closed': {
    message: 'L’input del processo {pid} è chiuso.',
    remedy: 'Avvia il processo con l’input attivo, e scrivi prima di chiuderlo.',
  },
  'process.not-a-terminal': {
    message: 'Il processo {pid} non ha un terminale.',
    remedy: 'Avvia il processo con un terminale.',
  },
  'process.unknown': {
    message: 'Nessun processo con {selector}.',
    remedy: 'Elenca i processi per vedere che cosa è in esecuzione.',
  },
  'python.kernel-died': {
    message: 'Il kernel Python è terminato durante l’esecuzione. Le sue variabili sono perse, i file sono conservati.',
    remedy: 'Esegui di nuovo le celle che ti servono. Un nuovo kernel si avvia automaticamente.',
  },
  'run.invalid': {
    message: 'Impossibile avviare l’esecuzione: {problem}',
    remedy: 'Correggi la richiesta e avvia l’esecuzione con una nuova chiave.',
  },
  'run.unknown': {
    message: 'Esecuzione «{key}» non trovata: è stata scartata, o appartiene a un altro avvio.',
    remedy: 'Avviala con una nuova chiave, se si può ripetere senza rischi.',
  },
  'search.failed': {
    message: 'Ricerca non riuscita: {problem}',
    remedy: 'Controlla il pattern (sintassi delle espressioni regolari di Rust) e il percorso.',
  },
  'service.invalid': { message: 'Impossibile avviare il servizio: {problem}', remedy: 'Correggi la richiesta.' },
  'service.log-missing': { message: 'Il servizio «{name}» non ha output in questa sandbox.', remedy: 'Prima avvialo.' },
  'session.name-invalid': {
    message: '«{name}» non è un nome valido per una sessione della shell.',
    remedy: 'Usa fino a 64 lettere, cifre, punti, trattini e trattini bassi.',
  },
  'terminal.ended': { message: 'La shell nel terminale {id} è terminata.', remedy: 'Apri un altro terminale.' },
  'terminal.too-many': {
    message: 'Una sandbox può avere fino a {max} terminali.',
    remedy: 'Prima chiudi un terminale.',
  },
  'terminal.unknown': { message: 'Terminale {id} non trovato.', remedy: 'Controlla l’elenco dei terminali.' },
  'user.unknown': {
    message: 'La sandbox non ha un utente «{name}».',
    remedy: 'Usa «user» o «root», o prima crea l’utente nella sandbox.',
  },
}
