import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about skills and links of threads. */
export const skillErrors: ErrorWords = {
  'skill.archive-invalid': {
    message: 'Der Skill lässt sich nicht auspacken: {problem}',
    remedy: 'Packen Sie seinen Ordner noch einmal als einfaches Zip, ohne Passwort.',
  },
  'skill.changed': {
    message: 'Der Skill {name} wurde von jemand anderem geändert, seit er gelesen wurde; er wurde nicht ersetzt.',
    remedy: 'Lesen Sie ihn neu und wiederholen Sie die Änderung.',
  },
  'skill.description-invalid': {
    message: 'Die Beschreibung des Skills hat {characters} Zeichen.',
    remedy: 'Sagen Sie in 1 bis 1024 Zeichen, was er tut und wann er zu verwenden ist.',
  },
  'skill.file-missing': {
    message: 'Es gibt keine SKILL.md, oder es sind mehrere Skills.',
    remedy: 'Senden Sie einen Skill: seinen Ordner mit einer SKILL.md darin.',
  },
  'skill.folder-differs': {
    message: 'Der Skill heißt {name}, sein Ordner aber {folder}.',
    remedy: 'Geben Sie beiden denselben Namen.',
  },
  'skill.front-matter-invalid': {
    message: 'Der Anfang der SKILL.md lässt sich nicht lesen: {problem}',
    remedy: 'Er besteht aus YAML zwischen zwei Zeilen `---`, mit Name und Beschreibung.',
  },
  'skill.limit-reached': {
    message: 'Hier sind schon {limit} Skills, und mehr kann kein Agent überblicken.',
    remedy: 'Löschen Sie einen, der nicht gebraucht wird, oder legen Sie diesen in einen Arbeitsbereich.',
  },
  'skill.link-refused': {
    message: 'Im Skill ist etwas, das weder Datei noch Ordner ist: {path}',
    remedy: 'Legen Sie die Datei selbst an die Stelle der Verknüpfung.',
  },
  'skill.name-invalid': {
    message: '{name} kann kein Name eines Skills sein.',
    remedy: 'Nehmen Sie 1 bis 64 Zeichen a-z, 0-9 und einzelne Bindestriche, nicht am Anfang oder Ende.',
  },
  'skill.name-taken': {
    message: 'Einen Skill {name} gibt es hier schon.',
    remedy: 'Ersetzen oder löschen Sie ihn, oder geben Sie diesem in seiner SKILL.md einen anderen Namen.',
  },
  'skill.not-found': {
    message: 'Diesen Skill gibt es nicht.',
    remedy: 'Vielleicht wurde er gelöscht. Nehmen Sie einen anderen aus der Liste.',
  },
  'skill.path-unsafe': {
    message: 'Im Skill ist eine Datei mit einem Pfad, der sich nicht verwenden lässt: {path}',
    remedy: 'Nehmen Sie relative Pfade mit `/`, ohne `..`, jeden nur einmal, höchstens 240 Zeichen und 12 Ordner tief.',
  },
  'skill.too-large': {
    message: 'Der Skill ist größer als {limitBytes} Bytes, gepackt oder ausgepackt.',
    remedy: 'Lassen Sie weg, was nicht nötig ist; große Daten kann ein Skript des Skills holen.',
  },
  'skill.too-many-files': {
    message: 'Der Skill hat mehr als {limit} Dateien.',
    remedy: 'Lassen Sie weg, was nicht nötig ist, etwa installierte Pakete.',
  },
  'git.failed': {
    message: 'git in der Sandbox antwortete: {problem}',
    remedy: 'Führen Sie `git status` im Terminal aus: Was mit dem Repository nicht stimmt, zeigt sich dort ebenso.',
  },
  'git.missing': {
    message: 'In dieser Sandbox gibt es kein git.',
    remedy: 'Installieren Sie es dort: `sudo apt-get install git`.',
  },
  'git.too-slow': {
    message: 'git in der Sandbox antwortete nicht innerhalb von {seconds} Sekunden und wurde beendet.',
    remedy: 'Führen Sie `git status` im Terminal aus: Dort hat es alle Zeit, die es braucht.',
  },
  'thread-link.copies-used-up': {
    message: 'Über diesen Link wurden schon {max} Kopien gemacht, mehr erlaubt ein Link nicht.',
    remedy: 'Bitten Sie um einen neuen Link.',
  },
  'thread-link.no-copy': {
    message: 'Dieser Link führt zu nichts, das sich kopieren lässt.',
    remedy: 'Vielleicht wurde er beendet, oder er erlaubt nur das Lesen: Bitten Sie um einen neuen.',
  },
  'thread-link.limit-reached': {
    message: 'Der Thread hat schon {max} Links, mehr darf er nicht haben.',
    remedy: 'Beenden Sie zuerst einen davon.',
  },
  'thread-link.not-found': {
    message: 'Einen solchen Link hat dieser Thread nicht.',
    remedy: 'Laden Sie die Liste neu; vielleicht wurde er inzwischen beendet.',
  },
  'skill.type-unsupported': {
    message: 'Aus {mediaType} lässt sich kein Skill lesen.',
    remedy: 'Senden Sie ein Zip, eine SKILL.md oder die Dateien des Ordners.',
  },
}
