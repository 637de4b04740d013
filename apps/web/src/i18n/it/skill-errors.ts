import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about skills and links of threads. */
export const skillErrors: ErrorWords = {
  'skill.archive-invalid': {
    message: 'Impossibile estrarre la skill: {problem}',
    remedy: 'Comprimi di nuovo la sua cartella in un semplice file zip senza password.',
  },
  'skill.changed': {
    message: 'La skill {name} è cambiata dopo essere stata letta, quindi non è stata sostituita.',
    remedy: 'Leggila di nuovo e ripeti la tua modifica.',
  },
  'skill.description-invalid': {
    message: 'La descrizione della skill ha {characters} caratteri.',
    remedy: 'Spiega in 1–1024 caratteri che cosa fa e quando usarla.',
  },
  'skill.file-missing': {
    message: 'Non c’è un file SKILL.md, o c’è più di una skill.',
    remedy: 'Invia una sola skill: la sua cartella con un file SKILL.md.',
  },
  'skill.folder-differs': {
    message: 'La skill si chiama {name}, ma la sua cartella si chiama {folder}.',
    remedy: 'Usa lo stesso nome per entrambe.',
  },
  'skill.front-matter-invalid': {
    message: 'Impossibile leggere il front matter di SKILL.md: {problem}',
    remedy: 'Inizia il file con YAML tra due righe `---`, con nome e descrizione.',
  },
  'skill.limit-reached': {
    message: 'Qui puoi avere fino a {limit} skill.',
    remedy: 'Elimina una skill che non usi, o aggiungi questa a uno spazio di lavoro.',
  },
  'skill.link-refused': {
    message: 'La skill contiene qualcosa che non è né un file né una cartella: {path}',
    remedy: 'Sostituisci il collegamento con il file stesso.',
  },
  'skill.name-invalid': {
    message: '{name} non è un nome valido per una skill.',
    remedy: 'Usa da 1 a 64 caratteri: a–z, 0–9 e trattini singoli, non all’inizio né alla fine.',
  },
  'skill.name-taken': {
    message: 'Qui esiste già una skill di nome {name}.',
    remedy: 'Sostituiscila o eliminala, oppure cambia il nome nel file SKILL.md di questa skill.',
  },
  'skill.not-found': {
    message: 'Skill non trovata.',
    remedy: 'Può essere stata eliminata. Scegline un’altra dall’elenco.',
  },
  'skill.path-unsafe': {
    message: 'La skill contiene un file con un percorso non valido: {path}',
    remedy:
      'Usa percorsi relativi univoci con `/` e senza `..`, fino a 240 caratteri stampabili e 12 cartelle di profondità.',
  },
  'skill.too-large': {
    message: 'La skill supera {limitBytes:size}, compressa o estratta.',
    remedy: 'Togli ciò che non serve. I dati grandi può scaricarli uno script della skill quando viene usata.',
  },
  'skill.too-many-files': {
    message: 'La skill ha più di {limit} file.',
    remedy: 'Togli ciò che non serve, per esempio i pacchetti installati.',
  },
  'git.failed': {
    message: 'git non è riuscito nella sandbox: {problem}',
    remedy: 'Esegui `git status` nel terminale per vedere che cosa non va nel repository.',
  },
  'git.missing': {
    message: 'In questa sandbox git non è installato.',
    remedy: 'Installalo: `sudo apt-get install git`.',
  },
  'git.too-slow': {
    message: 'git nella sandbox non ha risposto entro {seconds} secondi ed è stato fermato.',
    remedy: 'Esegui `git status` nel terminale, dove non ha limiti di tempo.',
  },
  'thread-link.copies-used-up': {
    message: 'Questo link è stato usato per {max} copie, il massimo.',
    remedy: 'Chiedi un nuovo link a chi l’ha condiviso.',
  },
  'thread-link.no-copy': {
    message: 'Con questo link non si può creare una copia.',
    remedy: 'Può essere scaduto o consentire solo la lettura. Chiedi un nuovo link a chi l’ha condiviso.',
  },
  'thread-link.limit-reached': {
    message: 'Un thread può avere fino a {max} link.',
    remedy: 'Prima revoca un link.',
  },
  'thread-link.not-found': {
    message: 'Link non trovato in questo thread.',
    remedy: 'Controlla l’elenco dei link del thread; questo può essere scaduto.',
  },
  'skill.type-unsupported': {
    message: 'Impossibile leggere una skill da {mediaType}.',
    remedy: 'Invia un file zip, un file SKILL.md o i file della cartella.',
  },
}
