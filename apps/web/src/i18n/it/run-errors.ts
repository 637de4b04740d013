import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about runs of agents and what starts them. */
export const runErrors: ErrorWords = {
  'run.approval-needed': {
    message: 'L’esecuzione richiedeva un’approvazione per {tool}, ma le esecuzioni sono senza supervisione.',
    remedy:
      'Consenti lo strumento nelle impostazioni della connessione, o svolgi questa parte in un thread in cui puoi approvarlo.',
  },
  'run.cell-failed': {
    message: 'Il codice Python dell’esecuzione ha sollevato un’eccezione.',
    remedy: 'Vedi il traceback nell’output dell’esecuzione.',
  },
  'run.command-failed': {
    message: 'Il comando è terminato con {exitCode}.',
    remedy: 'Il motivo è nel suo output.',
  },
  'run.missed': {
    message: 'Il server era spento quando l’esecuzione era pianificata ({count} volte, dal {from} al {to}).',
    remedy: 'Per recuperare le esecuzioni mancate, imposta la pianificazione su un recupero unico.',
  },
  'run.not-found': {
    message: 'Esecuzione non trovata.',
    remedy: 'Le esecuzioni restano in elenco per un tempo limitato. Controlla le esecuzioni dell’agente.',
  },
  'run.overlap': {
    message: 'L’esecuzione precedente della pianificazione non era ancora conclusa.',
    remedy: 'Pianificala meno spesso, o lascia che le esecuzioni si aspettino o si sovrappongano.',
  },
  'run.queue-full': {
    message: 'La coda delle esecuzioni è piena ({limit} esecuzioni).',
    remedy: 'Aspetta che alcune finiscano, annullane qualcuna, o alza il limite nelle impostazioni.',
  },
  'run.stopped': {
    message: 'L’esecuzione è stata fermata.',
    remedy: 'Se non era voluto, avviane un’altra.',
  },
  'run.thread-gone': {
    message: 'Il thread dell’esecuzione è stato eliminato, o il suo messaggio rimosso, prima che l’esecuzione finisse.',
    remedy: 'Avvia un’altra esecuzione.',
  },
  'run.trigger-limit': {
    message: 'Un agente può avere fino a {limit} pianificazioni e {limit} webhook.',
    remedy: 'Elimina ciò che non usi.',
  },
  'run.trigger-not-found': {
    message: 'Pianificazione o webhook non trovati.',
    remedy: 'Possono essere stati eliminati. Ricarica la pagina dell’agente.',
  },
  'schedule.cron-invalid': {
    message: 'Questa espressione cron non è valida: {cron}',
    remedy: 'Usa cinque campi: minuto, ora, giorno del mese, mese, giorno della settimana. Esempio: `30 7 * * 1-5`.',
  },
  'schedule.never-due': {
    message: 'Questa pianificazione non scatta mai: {cron}',
    remedy: 'Scegli un giorno che esiste.',
  },
  'schedule.time-zone-invalid': {
    message: 'Fuso orario sconosciuto: {timeZone}',
    remedy: 'Usa un nome come Europe/Rome o UTC.',
  },
  'webhook.disabled': { message: 'Questo webhook è disattivato.', remedy: 'Attivalo nell’app.' },
  'webhook.headers-missing': {
    message: 'La richiesta deve avere gli header webhook-id, webhook-timestamp e webhook-signature.',
    remedy: 'Firmala come descritto in docs/runs.md.',
  },
  'webhook.out-of-time': {
    message: 'Il timestamp della richiesta si scosta di oltre {toleranceSeconds} secondi dall’ora del server.',
    remedy: 'Firma ogni richiesta quando la invii, e controlla l’orologio del mittente.',
  },
  'webhook.refused': {
    message: 'Il webhook non esiste, o la firma non corrisponde al suo segreto.',
    remedy: 'Controlla l’URL e il segreto, e firma esattamente `<webhook-id>.<webhook-timestamp>.<body>`.',
  },
  'webhook.replayed': {
    message: 'Una richiesta con questo webhook-id è già stata accettata; non è stata avviata nessuna esecuzione.',
    remedy: 'Dai a ogni evento un ID proprio.',
  },
}
