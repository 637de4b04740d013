import type { passkeys as source } from '../en/passkeys.ts'
import type { Texts } from '../texts.ts'

export const passkeys: Texts<typeof source> = {
  title: 'Passkey',
  lead: 'Accedi con il PIN, l’impronta o il volto del tuo dispositivo, senza password.',
  empty: 'Ancora nessuna passkey.',
  needed:
    'Qui il proprietario e gli amministratori hanno bisogno di una passkey. Finché non ne aggiungi una, puoi fare solo quello che fanno i membri.',
  added: 'aggiunta {{when}}',
  used: 'ultimo uso {{when}}',
  neverUsed: 'mai usata',
  otherHost: 'Vale solo su {{host}}.',
  add: 'Aggiungi passkey',
  addTitle: 'Aggiungi passkey',
  addText: 'Dalle il nome del dispositivo o del gestore di password che la conserva. Poi il browser te la chiede.',
  addAction: 'Continua',
  adding: 'In attesa del dispositivo',
  name: 'Nome',
  rename: 'Rinomina',
  renameOf: 'Rinomina {{name}}',
  renameText: 'Il nome serve solo in questo elenco.',
  save: 'Salva',
  saving: 'Salvataggio',
  remove: 'Rimuovi',
  removeOf: 'Rimuovi {{name}}',
  removeTitle: 'Rimuovere {{name}}?',
  removeText:
    'Non potrai più usarla per accedere. Dove è stata usata, la sessione resta aperta. Rimuovila anche dal dispositivo.',
  removing: 'Rimozione',
  or: 'oppure',
  use: 'Usa una passkey',
  unavailable: {
    insecure: 'Le passkey richiedono https. Questa pagina è stata aperta con http.',
    address:
      'Le passkey non funzionano con un indirizzo IP. Apri threadbox con il suo nome, oppure come localhost su questo computer.',
    browser: 'Questo browser non supporta le passkey.',
  },
  failure: {
    canceled: 'Nessuna passkey usata: hai annullato o è passato troppo tempo. Riprova.',
    known: 'Questo dispositivo ha già una passkey per il tuo account. Usane un altro.',
    unsupported:
      'Questo dispositivo non può verificare la tua identità. Imposta un PIN, l’impronta o il volto, poi riprova.',
    failed: 'Il browser non ha potuto usare una passkey qui. Riprova, oppure usa un altro dispositivo.',
  },
}
