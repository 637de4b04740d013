import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about skills and links of threads. */
export const skillErrors: ErrorWords = {
  'skill.archive-invalid': {
    message: 'Der Skill lässt sich nicht auspacken: {problem}',
    remedy: 'Packen Sie seinen Ordner noch einmal als einfache Zip-Datei ohne Passwort.',
  },
  'skill.changed': {
    message: 'Der Skill {name} wurde geändert, seit er gelesen wurde, und deshalb nicht ersetzt.',
    remedy: 'Lesen Sie ihn neu, und wiederholen Sie Ihre Änderung.',
  },
  'skill.description-invalid': {
    message: 'Die Beschreibung des Skills hat {characters} Zeichen.',
    remedy: 'Sagen Sie in 1 bis 1024 Zeichen, was er tut und wann er verwendet werden soll.',
  },
  'skill.file-missing': {
    message: 'Es gibt keine SKILL.md oder mehr als einen Skill.',
    remedy: 'Senden Sie einen Skill: seinen Ordner mit einer SKILL.md.',
  },
  'skill.folder-differs': {
    message: 'Der Skill heißt {name}, sein Ordner aber {folder}.',
    remedy: 'Geben Sie beiden denselben Namen.',
  },
  'skill.front-matter-invalid': {
    message: 'Der Kopf von SKILL.md lässt sich nicht lesen: {problem}',
    remedy: 'Beginnen Sie die Datei mit YAML zwischen zwei Zeilen `---`, mit Name und Beschreibung.',
  },
  'skill.limit-reached': {
    message: 'Sie können hier bis zu {limit} Skills haben.',
    remedy: 'Löschen Sie einen, den Sie nicht brauchen, oder legen Sie diesen in einem Arbeitsbereich an.',
  },
  'skill.link-refused': {
    message: 'Der Skill enthält etwas, das weder Datei noch Ordner ist: {path}',
    remedy: 'Ersetzen Sie die Verknüpfung durch die Datei selbst.',
  },
  'skill.name-invalid': {
    message: '{name} ist kein gültiger Name für einen Skill.',
    remedy: 'Nehmen Sie 1 bis 64 Zeichen: a–z, 0–9 und einzelne Bindestriche, nicht am Anfang oder Ende.',
  },
  'skill.name-taken': {
    message: 'Einen Skill namens {name} gibt es hier schon.',
    remedy: 'Ersetzen oder löschen Sie ihn, oder ändern Sie den Namen in der SKILL.md dieses Skills.',
  },
  'skill.not-found': {
    message: 'Der Skill wurde nicht gefunden.',
    remedy: 'Vielleicht wurde er gelöscht. Wählen Sie einen anderen aus der Liste.',
  },
  'skill.path-unsafe': {
    message: 'Der Skill enthält eine Datei mit einem ungültigen Pfad: {path}',
    remedy: 'Nehmen Sie eindeutige relative Pfade mit `/`, ohne `..`, bis zu 240 druckbare Zeichen und 12 Ordner tief.',
  },
  'skill.too-large': {
    message: 'Der Skill ist größer als {limitBytes:size}, gepackt oder ausgepackt.',
    remedy: 'Lassen Sie weg, was nicht nötig ist. Große Daten kann ein Skript im Skill laden, wenn er verwendet wird.',
  },
  'skill.too-many-files': {
    message: 'Der Skill hat mehr als {limit} Dateien.',
    remedy: 'Lassen Sie weg, was nicht nötig ist, etwa installierte Pakete.',
  },
  'git.failed': {
    message: 'git ist in der Sandbox fehlgeschlagen: {problem}',
    remedy: 'Führen Sie `git status` im Terminal aus, um zu sehen, was mit dem Repository nicht stimmt.',
  },
  'git.missing': {
    message: 'In dieser Sandbox ist git nicht installiert.',
    remedy: 'Installieren Sie es: `sudo apt-get install git`.',
  },
  'git.too-slow': {
    message: 'git hat in der Sandbox nicht innerhalb von {seconds} Sekunden geantwortet und wurde beendet.',
    remedy: 'Führen Sie `git status` im Terminal aus; dort gibt es keine Zeitgrenze.',
  },
  'thread-link.copies-used-up': {
    message: 'Dieser Link wurde für {max} Kopien verwendet; mehr sind nicht möglich.',
    remedy: 'Bitten Sie die Person, die ihn geteilt hat, um einen neuen Link.',
  },
  'thread-link.no-copy': {
    message: 'Mit diesem Link lässt sich keine Kopie anlegen.',
    remedy:
      'Er kann abgelaufen sein oder nur das Lesen erlauben. Bitten Sie die Person, die ihn geteilt hat, um einen neuen.',
  },
  'thread-link.limit-reached': {
    message: 'Ein Thread kann bis zu {max} Links haben.',
    remedy: 'Widerrufen Sie zuerst einen Link.',
  },
  'thread-link.not-found': {
    message: 'Der Link wurde in diesem Thread nicht gefunden.',
    remedy: 'Sehen Sie in der Liste der Links nach; dieser kann abgelaufen sein.',
  },
  'skill.type-unsupported': {
    message: 'Aus {mediaType} lässt sich kein Skill lesen.',
    remedy: 'Senden Sie eine Zip-Datei, eine SKILL.md oder die Dateien des Ordners.',
  },
}
