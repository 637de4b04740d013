import type { ErrorWords } from '../words.ts'

/** What can go wrong with invites, people and their roles. */
export const peopleErrors: ErrorWords = {
  'auth.account-disabled': {
    message: 'Il tuo account è disattivato.',
    remedy: 'Chiedi al proprietario o a un amministratore di attivarlo.',
  },
  'invite.for-other': {
    message: 'Questo invito è per un altro indirizzo e-mail.',
    remedy: 'Usa l’indirizzo a cui è stato mandato, oppure chiedi un altro invito.',
  },
  'invite.invalid': {
    message: 'Questo link non è valido. Forse è stato usato, revocato o sostituito, oppure è scaduto.',
    remedy: 'Chiedine uno nuovo a chi te l’ha mandato.',
  },
  'invite.limit': {
    message: 'Ci sono già {limit} inviti utilizzabili.',
    remedy: 'Revocane uno, oppure creane uno per più persone.',
  },
  'invite.not-found': {
    message: 'Invito non trovato.',
    remedy: 'Forse è stato usato o è scaduto. Ricarica l’elenco.',
  },
  'person.not-found': {
    message: 'Persona non trovata.',
    remedy: 'Forse non c’è più. Ricarica l’elenco.',
  },
  'person.protected': {
    message: 'Non puoi modificare l’account o il ruolo di questa persona.',
    remedy: 'Gli amministratori possono modificare i membri. Per tutto il resto chiedi al proprietario.',
  },
  'thread.creator-outside': {
    message: 'Chi ha creato il thread non vede quello spazio di lavoro e perderebbe il thread.',
    remedy: 'Prima aggiungi la persona allo spazio, oppure chiedile di spostare il thread.',
  },
  'thread.creator-required': {
    message: 'Può farlo solo chi ha creato il thread.',
    remedy: 'Chiedi a quella persona, oppure sposta il thread in un altro spazio di lavoro.',
  },
  'thread.private-outside': {
    message: 'Solo un thread in uno spazio di lavoro può essere privato: fuori lo sono tutti.',
    remedy: 'Prima spostalo in uno spazio di lavoro.',
  },
  'thread.shared-with-others': {
    message:
      'In questo thread possono lavorare altri, quindi non può usare i tuoi segreti, credenziali Git e connessioni.',
    remedy: 'Prima rendi privato il thread.',
  },
  'workspace.member-not-found': {
    message: 'Questa persona non esiste, oppure non è in questo spazio di lavoro.',
    remedy: 'Ricarica l’elenco.',
  },
  'workspace.owner-missing': {
    message: 'Uno spazio di lavoro ha bisogno di un proprietario, e questo è l’unico.',
    remedy: 'Prima rendi proprietario un altro membro, oppure elimina lo spazio.',
  },
  'workspace.role-missing': {
    message: 'Il tuo ruolo in questo spazio di lavoro non lo permette.',
    remedy: 'Chiedi a un proprietario dello spazio: può farlo o cambiare il tuo ruolo.',
  },
  'run.person-disabled': {
    message: 'L’account della persona per cui viene eseguito è disattivato.',
    remedy:
      'Chiedi a qualcun altro di salvare la pianificazione o il webhook: da allora viene eseguito per quella persona.',
  },
  'usage.others-hidden': {
    message: 'Solo il proprietario e gli amministratori vedono l’utilizzo di tutti.',
    remedy: 'Guarda il tuo, oppure chiedi a un amministratore.',
  },
  'usage.period-invalid': {
    message: 'Il periodo finisce prima di iniziare o è troppo lungo.',
    remedy: 'Scegli al massimo {days} giorni.',
  },
  'quota.spend-used-up': {
    message: 'Questo mese hai usato {used} di {limit} USD per i modelli.',
    remedy: 'Il limite ricomincia il {resets}. Puoi chiedere di più in Impostazioni, Utilizzo.',
  },
  'quota.installation-spend-used-up': {
    message: 'Questo mese l’installazione ha usato i suoi {limit} USD per i modelli.',
    remedy: 'Il limite ricomincia il {resets}. Il proprietario e gli amministratori possono aumentarlo.',
  },
  'quota.model-unpriced': {
    message: '{model} non ha un prezzo, quindi il tuo limite per i modelli non può contarlo.',
    remedy: 'Passa a un altro modello o chiedi a un amministratore di inserire il prezzo.',
  },
  'machine.sandbox-unknown': {
    message: 'Non c’è nessuna sandbox con questo ID.',
    remedy: 'Ricarica la pagina Macchina: la sandbox potrebbe essere stata eliminata.',
  },
  'quota.preset-not-found': {
    message: 'Gruppo di limiti non trovato.',
    remedy: 'Ricarica l’elenco.',
  },
  'quota.preset-name-taken': {
    message: 'C’è già un gruppo chiamato {name}.',
    remedy: 'Scegli un altro nome.',
  },
  'quota.preset-is-default': {
    message: 'I membri senza un altro gruppo hanno questo.',
    remedy: 'Modifica invece i suoi limiti.',
  },
  'quota.request-not-found': {
    message: 'Richiesta non trovata.',
    remedy: 'Forse è già stata decisa. Ricarica l’elenco.',
  },
  'quota.request-open': {
    message: 'Hai già chiesto di più.',
    remedy: 'Attendi la decisione di un amministratore.',
  },
  'model.fallback-invalid': {
    message: 'Un modello che subentra deve essere un altro modello collegato, ognuno al massimo una volta.',
    remedy: 'Scegline altri dall’elenco dei modelli.',
  },
  'quota.place-awaited': {
    message: 'Hai {used} sandbox sveglie su {limit} e nessuna si è liberata.',
    remedy: 'Mettine una in pausa, riprova tra {retryAfterSeconds} s o chiedi di più in Impostazioni, Utilizzo.',
  },
  'quota.sandboxes-used-up': {
    message: 'Hai {used} sandbox e il tuo limite è {limit}.',
    remedy: 'Elimina i thread che non ti servono più o chiedi di più in Impostazioni, Utilizzo.',
  },
  'quota.disk-used-up': {
    message:
      'Le tue sandbox occupano {usedGiB} GiB su {limitGiB}. La più grande è quella di {largest}, con {largestGiB} GiB.',
    remedy: 'Elimina file in una sandbox sveglia, elimina thread o chiedi di più in Impostazioni, Utilizzo.',
  },
  'quota.requests-used-up': {
    message: 'Per un po’ hai inviato più di {limit} richieste al secondo, che è il tuo limite.',
    remedy: 'Riprova tra {retryAfterSeconds} s o chiedi di più in Impostazioni, Utilizzo.',
  },
  'quota.awake-used-up': {
    message: 'Hai {limit} sandbox sveglie, che è il tuo limite.',
    remedy: 'Mettine una in pausa, attendi che una sia inattiva o chiedi di più in Impostazioni, Utilizzo.',
  },
  'person.not-disabled': {
    message: 'L’account di questa persona non è disattivato.',
    remedy: 'Disattivalo prima.',
  },
  'person.recipient-invalid': {
    message: 'Questa persona non può riceverlo.',
    remedy: 'Scegli un’altra persona il cui account non è disattivato.',
  },
  'person.leaving': {
    message: 'Ciò che questa persona ha viene già ceduto o eliminato.',
    remedy: 'Attendi che sia terminato.',
  },
  'person.owner-leaves': {
    message: 'L’account del proprietario non può essere eliminato.',
    remedy: 'Cedi prima la proprietà.',
  },
  'person.being-erased': {
    message: 'L’account di questa persona viene eliminato.',
    remedy: 'Non può essere riattivato. Invita la persona a creare un nuovo account.',
  },
  'ownership.not-offered': {
    message: 'La proprietà non ti è offerta.',
    remedy: 'L’offerta può essere scaduta o ritirata. Chiedi al proprietario di offrirla di nuovo.',
  },
  'export.sandbox-asleep': {
    message: 'Non è stato possibile leggere i file mentre la sandbox è in pausa.',
    remedy: 'Riattiva la sandbox, poi esporta di nuovo.',
  },
}
