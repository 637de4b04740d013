import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about agents. */
export const agentErrors: ErrorWords = {
  'agent.limit-reached': {
    message: 'Qui puoi avere fino a {limit} agenti.',
    remedy: 'Elimina un agente che non usi, o aggiungi questo a uno spazio di lavoro.',
  },
  'agent.name-taken': {
    message: 'Qui esiste già un agente di nome {name}.',
    remedy:
      'Scegli un altro nome, salva questo come nuova versione dell’agente esistente, oppure rinominalo o eliminalo.',
  },
  'agent.not-found': {
    message: 'Agente non trovato.',
    remedy: 'Può essere stato eliminato. Scegline un altro dall’elenco.',
  },
  'agent.start-interrupted': {
    message: 'Il server si è fermato mentre creava un thread con questo ID. Il thread incompleto viene eliminato.',
    remedy: 'Inizia un altro thread.',
  },
  'agent.version-current': {
    message: 'La versione attuale non si può eliminare.',
    remedy: 'Prima rendi attuale un’altra versione, oppure elimina l’agente.',
  },
  'agent.version-limit-reached': {
    message: 'Un agente può avere fino a {limit} versioni.',
    remedy: 'Elimina le versioni che non usi.',
  },
  'agent.version-not-found': {
    message: 'Versione dell’agente non trovata.',
    remedy: 'Può essere stata eliminata. Scegli un’altra versione.',
  },
  'agent.review-required': {
    message:
      'Questo agente è stato importato da un file e attende una verifica. Non si può ancora avviare nulla con esso.',
    remedy: 'Apri Agenti, verifica la bozza e accetta ciò che l’agente può usare.',
  },
  'agent-draft.not-found': {
    message: 'Bozza non trovata.',
    remedy: 'Potrebbe essere stata accettata o rifiutata. Cercala in Agenti o importa di nuovo il file.',
  },
  'agent-draft.other-file': {
    message: 'Il file verificato non è quello di questa bozza, che ha lo SHA-256 {sha256}.',
    remedy: 'Apri di nuovo la bozza e verificala.',
  },
  'agent-draft.not-offered': {
    message: 'La bozza non offre questo elemento: {item}.',
    remedy: 'Apri di nuovo la bozza. Servizi e variabili si accettano solo insieme all’ambiente.',
  },
  'agent-draft.limit-reached': {
    message: 'Qui possono attendere una verifica fino a {limit} agenti importati.',
    remedy: 'Prima accettane o rifiutane alcuni.',
  },
  'environment.empty': {
    message: 'Questo thread non ha ancora usato la sua sandbox, quindi non c’è un ambiente da salvare.',
    remedy: 'Salva l’agente senza ambiente, o esegui prima un comando nel thread.',
  },
  'environment.not-found': {
    message: 'Ambiente acquisito non trovato.',
    remedy: 'Un ambiente acquisito viene conservato per un’ora, se nessun agente lo usa. Acquisiscilo di nuovo.',
  },
  'agent-file.damaged': {
    message: 'Non è un file di agente completo: {problem}',
    remedy: 'Esporta di nuovo l’agente e assicurati che il file venga trasferito per intero.',
  },
  'agent-file.other-format': {
    message: 'Il file usa il formato {format}, che questa versione non sa leggere.',
    remedy: 'Aggiorna entrambe le installazioni alla stessa versione, poi esporta di nuovo l’agente.',
  },
  'agent-file.other-image': {
    message: 'L’ambiente dell’agente richiede l’immagine di base {wanted}, ma questa installazione ha {present}.',
    remedy: 'Aggiorna entrambe le installazioni alla stessa versione, poi esporta di nuovo l’agente.',
  },
  'environment.disk-too-large': {
    message: 'Il disco nel file supera il limite delle sandbox di questa installazione ({limitBytes:size}).',
    remedy: 'Alza il limite del disco nelle impostazioni, o esporta l’agente con meno file.',
  },
  'environment.not-unpacked': {
    message: 'Impossibile estrarre il disco dal file, quindi non è stato importato nulla: {problem}',
    remedy:
      'Esportalo di nuovo e assicurati che il file venga trasferito per intero. Sono accettati solo file esportati da un’installazione di threadbox.',
  },
}
