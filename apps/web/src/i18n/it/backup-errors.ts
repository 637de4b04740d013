import type { ErrorWords } from '../words.ts'

/** Errors of backups and their stores, by code. */
export const backupErrors: ErrorWords = {
  'store.not-a-folder': {
    message: '{place} non è una cartella.',
    remedy: 'Indica una cartella esistente, per esempio su un altro disco, o l’indirizzo di un bucket (s3+https://…).',
  },
  'store.read-only': {
    message: 'threadbox non può scrivere in {place}: {reason}',
    remedy: 'Concedi all’utente del server il diritto di scrivervi, o scegli un altro luogo.',
  },
  'store.of-other-program': {
    message: '{place} non è vuoto, e il suo contenuto non è di threadbox.',
    remedy: 'Scegli una cartella vuota o un prefisso vuoto di un bucket. Nulla è stato modificato.',
  },
  'store.format-newer': {
    message: '{place} è stato scritto da una versione più recente di threadbox.',
    remedy: 'Aggiorna threadbox, o scegli un altro luogo. Nulla è stato modificato.',
  },
  'store.inside-installation': {
    message: '{place} è dentro l’installazione, e andrebbe perso insieme a essa.',
    remedy: 'Scegli una cartella su un altro disco, o un bucket.',
  },
  'store.address-invalid': {
    message: '{place} non è l’indirizzo di un archivio.',
    remedy: 'Usa un percorso completo come /mnt/backup, o s3+https://HOST/BUCKET/PREFIX?region=REGION.',
  },
  'store.unreachable': {
    message: '{place} non risponde: {reason}',
    remedy: 'Controlla l’indirizzo e la rete, poi esegui di nuovo il comando. Nulla è perso.',
  },
  'store.refused': {
    message: '{place} ha rifiutato una richiesta: {reason}',
    remedy:
      'Controlla la chiave di accesso e i suoi diritti: leggere, scrivere, elencare ed eliminare sotto questo prefisso.',
  },
  'store.name-invalid': {
    message: '{name} non è un nome valido di un oggetto.',
    remedy: 'È un difetto di threadbox. Segnalalo con l’ID della richiesta.',
  },
  'backup.recovery-key-invalid': {
    message: 'Questa non è una chiave di ripristino, o una sua parte manca o è sbagliata.',
    remedy: 'Usa tutto il testo mostrato quando i backup sono stati configurati. Comincia con threadbox-recovery-1.',
  },
  'backup.recovery-key-other': {
    message: 'I backup in {place} sono stati scritti con un’altra chiave di ripristino.',
    remedy: 'Usa la chiave di ripristino dell’installazione che li ha scritti. Senza di essa non si possono leggere.',
  },
  'backup.settings-damaged': {
    message: 'Non si può leggere dove vanno i backup, quindi non se ne creano: {file} ({reason})',
    remedy:
      'Ripristina questo file da una copia. Se non c’è, rimuovilo ed esegui ./threadbox backup init con un nuovo archivio.',
  },
  'backup.status-damaged': {
    message: 'Il registro dei backup precedenti non si può leggere: {reason}',
    remedy: 'Avvia un backup: inizia un nuovo registro. I backup nell’archivio sono invariati.',
  },
  'backup.already-running': {
    message: 'Un backup è già in corso.',
    remedy: 'Attendi che finisca. La pagina Macchina mostra l’avanzamento.',
  },
  'backup.program-ended': {
    message: 'Il programma di backup è terminato prima di finire: {reason}',
    remedy: 'Controlla il log del server, poi avvia un backup. I backup precedenti sono invariati.',
  },
  'backup.failed': {
    message: 'Il backup non è riuscito: {reason}',
    remedy: 'Esegui ./threadbox doctor, poi avvia un backup. I backup precedenti sono invariati.',
  },
  'backup.found-damaged': {
    message: 'Di {total} backup, {damaged} sono danneggiati.',
    remedy: 'Avvia un backup: salva ciò che manca. ./threadbox backup verify indica che cosa è danneggiato.',
  },
  'backup.not-set-up': {
    message: 'I backup non sono configurati.',
    remedy: 'Esegui ./threadbox backup init STORE.',
  },
  'backup.already-set-up': {
    message: 'I backup vanno già in {place}.',
    remedy: 'Per ricominciare con un’altra chiave, rimuovi prima il file backup.json nella cartella del server.',
  },
  'backup.not-confirmed': {
    message:
      'La chiave di ripristino non è confermata, perciò non si scrive un backup che forse non si potrebbe mai leggere.',
    remedy: 'Esegui ./threadbox backup confirm con gli ultimi 8 caratteri della chiave mostrata da backup init.',
  },
  'backup.running': {
    message: '{holder} sta usando questo archivio, al più tardi fino alle {until}.',
    remedy: 'Attendi che finisca. Un lavoro interrotto viene ripreso a quell’ora.',
  },
  'backup.lease-lost': {
    message: 'Un altro lavoro ha preso l’archivio, perciò questo è finito senza un backup.',
    remedy: 'I backup precedenti sono invariati. Eseguilo di nuovo dopo l’altro.',
  },
  'backup.not-found': {
    message: 'In {place} non c’è il backup {name}.',
    remedy: 'Elenca i backup con ./threadbox backup list.',
  },
  'backup.damaged': {
    message: 'Il backup {name} è danneggiato: {reason}',
    remedy: 'Ripristina un altro backup; ./threadbox backup verify dice quali sono integri.',
  },
  'backup.database-tool-failed': {
    message: '{tool} non è riuscito: {reason}',
    remedy:
      'Installa il client Postgres della versione del tuo server, o di una successiva, ed esegui di nuovo il comando.',
  },
  'backup.restore-over-data': {
    message: 'Questa installazione è in uso: ha degli account.',
    remedy: 'Ripristina in una nuova installazione, in cui nessuno ha ancora un account.',
  },
  'backup.of-newer-release': {
    message:
      'Questo backup è stato scritto da una versione più recente ({version}), con tabelle che questa non conosce: {migrations}',
    remedy: 'Ripristinalo con la versione che lo ha scritto, o con una successiva.',
  },
  'backup.other-database': {
    message: 'Il backup ha un database di tipo {kind}, e questa installazione usa {wanted}.',
    remedy:
      'Imposta DATABASE_URL in threadbox.env se il backup è di Postgres, o rimuovilo, ed esegui di nuovo il comando.',
  },
  'backup.database-lost': {
    message: 'Il database non si può ripristinare da questo backup: {reason}',
    remedy: 'Ripristina un backup precedente. Nulla è stato modificato.',
  },
}
