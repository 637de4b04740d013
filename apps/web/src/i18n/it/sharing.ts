import type { sharing as source } from '../en/sharing.ts'
import type { Texts } from '../texts.ts'

export const sharing: Texts<typeof source> = {
  open: 'Condividi…',
  title: 'Condividi questo thread',
  lead: 'Chi ha il link può leggere tutta la conversazione, anche ciò che si aggiunge in seguito: messaggi, comandi, output e immagini. Non può modificare nulla né vedere altro, tranne ciò che consenti qui sotto.',
  ends: 'Scadenza del link',
  lifetime: {
    hour: 'tra 1 ora',
    day: 'tra 1 giorno',
    week: 'tra 7 giorni',
    month: 'tra 30 giorni',
    open: 'quando lo revoco',
  },
  withFiles: 'Consenti di scaricare i file allegati ai messaggi o condivisi dall’agente',
  allowsCopies: 'Consenti a chi ha un account qui di copiare il thread e la sua sandbox',
  copiesWarning:
    'Una copia include tutta la sandbox com’è in quel momento: ogni file, comprese password e chiavi salvate nei file, e tutto ciò che è in esecuzione. Include anche la conversazione.',
  make: 'Crea link',
  making: 'Creazione',
  address: 'Link',
  once: 'Copialo ora: viene mostrato una volta sola. Se lo perdi, creane un altro.',
  localOnly:
    'Il link funziona solo su questo computer o attraverso un tunnel verso di esso. Per condividerlo con altri, dai un dominio all’installazione: threadbox up --domain.',
  another: 'Creane un altro',
  list: 'Link a questo thread',
  noEnd: 'Non scade mai',
  until: 'Scadenza: {{when}}',
  made: 'creato: {{when}}',
  files: 'con file',
  noFiles: 'senza file',
  neverOpened: 'non ancora aperto',
  opened_one: 'aperto una volta: {{when}}',
  opened_other: 'aperto {{count}} volte, l’ultima: {{when}}',
  copied_zero: 'ancora nessuna copia, possibili: {{left}}',
  copied_one: '1 copia creata, ancora possibili: {{left}}',
  copied_other: '{{count}} copie create, ancora possibili: {{left}}',
  end: 'Revoca',
  endOf: 'Revoca il link (creato: {{when}})',
  done: 'Fine',
  copy: {
    title: 'Crea la tua copia',
    looking: 'Caricamento del thread condiviso',
    lead: 'Hanno condiviso con te «{{title}}». Avrai un tuo thread che inizia come copia.',
    untitled: 'Thread senza titolo',
    turns_one: 'La conversazione con {{count}} risposta',
    turns_other: 'La conversazione con {{count}} risposte',
    computer:
      'Una copia della sua sandbox: file e pacchetti e, se è sveglia o in pausa, tutto ciò che vi è in esecuzione',
    noComputer: 'Nessuna sandbox: il thread non ne ha ancora una',
    notCopied:
      'Non inclusi: agenti, skill, connessioni e spazio di lavoro del proprietario. Ciò che fai resta nella tua copia.',
    trust:
      'Questa sandbox l’ha preparata un’altra persona. Controlla che cosa vi è in esecuzione prima di inserire una password.',
    make: 'Crea la mia copia',
    making: 'Copia in corso',
    open: 'Leggi soltanto',
    back: 'Vai ai miei thread',
    usedUp: 'Con questo link non si possono creare altre copie. Chiedi un nuovo link.',
  },
}
