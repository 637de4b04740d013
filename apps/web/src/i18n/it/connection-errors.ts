import type { ErrorWords } from '../words.ts'

/** Sentences for what can be wrong with the connections of the agent and their servers. */
export const connectionErrors: ErrorWords = {
  'call.not-awaiting': {
    message: 'Questa chiamata non è in attesa di approvazione: è già stata decisa, o la risposta è stata fermata.',
    remedy: 'Ricarica la conversazione.',
  },
  'git-credential.address-invalid': {
    message: 'Questo server non si può usare per una credenziale Git: {problem}',
    remedy: 'Inserisci il nome del server, per esempio github.com, o il suo URL HTTPS senza percorso.',
  },
  'git-credential.address-refused': {
    message: '{host} è in una rete privata. Le credenziali Git per reti private non sono consentite.',
    remedy: 'Un amministratore può consentirlo con THREADBOX_CONNECTIONS_ALLOW.',
  },
  'git-credential.limit': {
    message: 'Puoi avere fino a {limit} credenziali Git.',
    remedy: 'Rimuovine una che non usi.',
  },
  'git-credential.not-found': {
    message: 'Credenziale Git non trovata.',
    remedy: 'Scegline una dall’elenco delle credenziali Git.',
  },
  'connection.address-invalid': {
    message: 'Questo URL non si può usare per una connessione: {problem}',
    remedy: 'Inserisci l’URL HTTPS di un server MCP, senza nome utente né password.',
  },
  'connection.address-refused': {
    message: '{host} è in una rete privata. Le connessioni a reti private non sono consentite.',
    remedy: 'Un amministratore può consentirlo con THREADBOX_CONNECTIONS_ALLOW.',
  },
  'connection.answer-invalid': {
    message: 'Il server MCP ha inviato una risposta non valida: {problem}',
    remedy: 'Controlla l’URL. Se è giusto, il problema è nel server MCP.',
  },
  'connection.answer-too-large': {
    message: 'La risposta del server MCP supera {mebibytes} MiB ed è stata troncata.',
    remedy: 'Richiedi meno dati alla volta: una pagina, un intervallo più piccolo o meno campi.',
  },
  'connection.approval-missing': {
    message: '{tool} richiede un’approvazione, e questa risposta è senza supervisione.',
    remedy: 'L’agente procede in un altro modo. Puoi consentire sempre lo strumento in Impostazioni → Connessioni.',
  },
  'connection.call-denied': {
    message: 'Questa chiamata di {tool} è stata rifiutata, quindi non è stata eseguita.',
    remedy: 'L’agente procede in un altro modo, o chiede che cosa vuoi.',
  },
  'connection.has-no-login': {
    message: 'Questa connessione non usa OAuth.',
    remedy: 'Prima imposta la sua autenticazione su «Accesso con OAuth».',
  },
  'connection.login-failed': {
    message: 'Accesso al server MCP non riuscito: {problem}',
    remedy: 'Accedi di nuovo in Impostazioni → Connessioni.',
  },
  'connection.login-needed': {
    message: 'Il server MCP richiede l’accesso.',
    remedy: 'Scegli «Accedi» accanto alla connessione in Impostazioni → Connessioni.',
  },
  'connection.http-failed': {
    message: 'Il server MCP ha risposto con lo stato HTTP {status}.',
    remedy: 'Controlla che l’URL sia quello di un server MCP via streamable HTTP, poi prova la connessione.',
  },
  'connection.kind-other': {
    message: 'Una connessione di questo tipo non ha {field}.',
    remedy: 'Crea una nuova connessione del tipo che ti serve.',
  },
  'connection.limit': {
    message: 'Qui puoi avere fino a {limit} connessioni.',
    remedy: 'Rimuovi una connessione che non usi.',
  },
  'connection.name-taken': {
    message: 'Il nome {name} dà agli strumenti lo stesso prefisso di una connessione esistente.',
    remedy: 'Scegli un altro nome.',
  },
  'connection.not-found': {
    message: 'Connessione non trovata.',
    remedy: 'Scegline una dall’elenco delle connessioni.',
  },
  'connection.program-busy': {
    message: 'Il programma MCP è già in esecuzione per {limit} conversazioni, il massimo.',
    remedy: 'Riprova quando una di quelle chiamate è terminata.',
  },
  'connection.program-ended': {
    message: 'Il programma MCP è terminato ({how}). Ultimo output: {lastWords}',
    remedy:
      'Controlla i suoi argomenti e le sue variabili, poi prova la connessione. Una chiamata interrotta può essere stata eseguita in parte.',
  },
  'connection.program-limit': {
    message: 'Puoi avere fino a {limit} connessioni che eseguono un programma.',
    remedy: 'Rimuovine una, o chiedi a un amministratore di alzare THREADBOX_CONNECTION_PROGRAMS.',
  },
  'connection.program-not-started': {
    message: 'Impossibile avviare {command} nella sandbox della connessione: {problem}',
    remedy: 'Controlla il comando. Sono disponibili npx, uvx, node e python3; npx e uvx installano ciò che indichi.',
  },
  'connection.program-restarts': {
    message: 'Il programma MCP ha fallito {failures} volte in {minutes} minuti, quindi non viene riavviato.',
    remedy: 'Prova la connessione in Impostazioni → Connessioni: vedrai che cosa non va e la riavvierai.',
  },
  'connection.request-refused': {
    message: 'Il server MCP ha rifiutato la richiesta: {problem}',
    remedy: 'Correggi la richiesta di conseguenza, o procedi in un altro modo.',
  },
  'connection.secret-missing': {
    message: 'I segreti salvati appartengono a un altro programma.',
    remedy: 'Inserisci tutte le variabili con i loro valori.',
  },
  'connection.timed-out': {
    message: 'Il server MCP non ha inviato una risposta completa entro {seconds} secondi.',
    remedy: 'Riprova più tardi o richiedi meno dati. La chiamata può essere stata eseguita in parte sul server.',
  },
  'connection.tool-gone': {
    message:
      '{tool} non è più disponibile: il server non lo offre più, o la connessione è stata rimossa o disattivata.',
    remedy: 'Controlla la connessione in Impostazioni → Connessioni.',
  },
  'connection.tool-not-found': {
    message: 'La connessione non ha uno strumento di nome {tool}.',
    remedy: 'Ricarica i suoi strumenti; il server può averli cambiati.',
  },
  'connection.tool-off': {
    message: 'Lo strumento {tool} è disattivato per questa connessione.',
    remedy: 'Puoi attivarlo in Impostazioni → Connessioni.',
  },
  'connection.unauthorized': {
    message: 'Il server MCP ha rifiutato il token (stato HTTP {status}).',
    remedy: 'Inserisci un nuovo token in Impostazioni → Connessioni, e controlla i suoi permessi.',
  },
  'connection.unreachable': {
    message: 'Impossibile raggiungere il server MCP: {problem}',
    remedy: 'Controlla l’URL e che il server sia in esecuzione, poi prova la connessione.',
  },
}
