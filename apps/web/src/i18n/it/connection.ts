import type { connection as source } from '../en/connection.ts'
import type { Texts } from '../texts.ts'

export const connection: Texts<typeof source> = {
  noAnswer: 'Il server non risponde. Forse si sta riavviando.',
  offline: 'Sei offline.',
  lastContact: 'Ultima risposta: {{when}}.',
  kept: 'La tua bozza è conservata.',
  retryIn_one: 'Nuovo tentativo tra {{count}} s.',
  retryIn_other: 'Nuovo tentativo tra {{count}} s.',
  trying: 'Nuovo tentativo in corso…',
  retry: 'Riprova ora',
  error: {
    title: 'Errore imprevisto in questa pagina',
    text: 'Il resto dell’app e i tuoi dati sul server non ne risentono.',
    reload: 'Ricarica la pagina',
    home: 'Vai alla pagina iniziale',
    details: 'Dettagli',
    copy: 'Copia i dettagli',
  },
  notFound: {
    title: 'Pagina non trovata',
    text: 'Il thread può essere stato eliminato, o il link è incompleto.',
    home: 'Vai alla pagina iniziale',
  },
  toast: {
    unexpected: 'Qualcosa è andato storto.',
    unexpectedRemedy: 'Ricarica la pagina. Se succede ancora, controlla `threadbox logs`.',
  },
  copy: 'Copia',
  retryLoad: 'Riprova',
}
