import type { ErrorWords } from '../words.ts'

/** Errors of snapshots, and of what is made from them. */
export const snapshotErrors: ErrorWords = {
  'fork.turn-running': {
    message: 'Non si può creare un fork mentre l’agente risponde.',
    remedy: 'Aspetta che finisca, fermalo, o crea il fork da una risposta precedente.',
  },
  'fork.turn-not-found': {
    message: 'Risposta non trovata in questo thread.',
    remedy: 'Usa l’ID di una risposta conclusa.',
  },
  'fork.snapshot-gone': {
    message: 'Non si può creare un fork: lo stato del disco dopo quella risposta non è più conservato.',
    remedy: 'Crea il fork da un’altra risposta, o dallo stato attuale.',
  },
  'rewind.turn-running': {
    message: 'Non si può riavvolgere mentre l’agente risponde.',
    remedy: 'Aspetta che finisca, o fermalo.',
  },
  'rewind.message-not-found': {
    message: 'Messaggio non trovato, o senza risposta.',
    remedy: 'Usa l’ID di un messaggio della conversazione.',
  },
  'rewind.snapshot-gone': {
    message: 'Non si può riavvolgere: lo stato del disco prima di quel messaggio non è più conservato.',
    remedy: 'Riavvolgi a prima di un altro messaggio.',
  },
  'rewind.under-way': {
    message: 'Il riavvolgimento di questo thread è in corso.',
    remedy: 'Riprova tra un momento. Se continua, controlla che il daemon dell’host sia in esecuzione.',
  },
  'rewind.not-undoable': {
    message:
      'Il riavvolgimento non si può annullare: la conversazione è continuata, lo stato precedente non è più conservato, o il riavvolgimento è avvenuto in un altro thread.',
    remedy: 'Continua da qui.',
  },
  'rewind.target-gone': {
    message: 'La sandbox non ha l’istantanea {snapshotId}.',
    remedy: 'Riavvolgi a un altro punto.',
  },
  'snapshot.not-found': {
    message: 'Istantanea non trovata in questo thread. Può essere stata eliminata.',
    remedy: 'Controlla nell’elenco delle istantanee del thread quali ci sono.',
  },
  'snapshot.not-kept': {
    message: 'Della fine di questa risposta non c’è un’istantanea conservata.',
    remedy: 'Scegli un’altra risposta. Un thread senza file in una sandbox non ha istantanee.',
  },
  'snapshot.pin-limit-reached': {
    message: 'Puoi conservare fino a {max} momenti di un thread.',
    remedy: 'Prima rinuncia a un altro momento di questo thread.',
  },
  'snapshot.pins-too-large': {
    message: 'I momenti conservati occupano metà dello spazio per le istantanee di tutti i thread.',
    remedy:
      'Prima rinuncia a un altro momento, o aumenta snapshotMebibytes e memorySnapshotMebibytes nelle impostazioni.',
  },
}
