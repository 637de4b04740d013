import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about agents. */
export const agentErrors: ErrorWords = {
  'agent.limit-reached': {
    message: 'Sie können hier bis zu {limit} Agenten haben.',
    remedy: 'Löschen Sie einen, den Sie nicht brauchen, oder legen Sie diesen in einem Arbeitsbereich an.',
  },
  'agent.name-taken': {
    message: 'Einen Agenten namens {name} gibt es hier schon.',
    remedy:
      'Wählen Sie einen anderen Namen, sichern Sie dies als neue Version des vorhandenen Agenten, oder benennen Sie ihn um oder löschen Sie ihn.',
  },
  'agent.not-found': {
    message: 'Der Agent wurde nicht gefunden.',
    remedy: 'Vielleicht wurde er gelöscht. Wählen Sie einen anderen aus der Liste.',
  },
  'agent.start-interrupted': {
    message:
      'Der Server wurde beendet, während er einen Thread mit dieser Kennung anlegte. Der unvollständige Thread wird gelöscht.',
    remedy: 'Beginnen Sie einen anderen Thread.',
  },
  'agent.version-current': {
    message: 'Die aktuelle Version lässt sich nicht löschen.',
    remedy: 'Machen Sie zuerst eine andere Version zur aktuellen, oder löschen Sie den Agenten.',
  },
  'agent.version-limit-reached': {
    message: 'Ein Agent kann bis zu {limit} Versionen haben.',
    remedy: 'Löschen Sie Versionen, die Sie nicht brauchen.',
  },
  'agent.version-not-found': {
    message: 'Die Version des Agenten wurde nicht gefunden.',
    remedy: 'Vielleicht wurde sie gelöscht. Wählen Sie eine andere Version.',
  },
  'agent.review-required': {
    message:
      'Dieser Agent wurde aus einer Datei importiert und wartet auf eine Prüfung. Mit ihm lässt sich noch nichts beginnen.',
    remedy: 'Öffnen Sie „Agenten“, prüfen Sie den Entwurf, und nehmen Sie an, was der Agent nutzen darf.',
  },
  'agent-draft.not-found': {
    message: 'Der Entwurf wurde nicht gefunden.',
    remedy:
      'Vielleicht wurde er angenommen oder abgelehnt. Suchen Sie ihn unter „Agenten“, oder importieren Sie die Datei noch einmal.',
  },
  'agent-draft.other-file': {
    message: 'Die geprüfte Datei ist nicht die dieses Entwurfs, der die SHA-256 {sha256} hat.',
    remedy: 'Öffnen Sie den Entwurf noch einmal, und prüfen Sie ihn.',
  },
  'agent-draft.not-offered': {
    message: 'Der Entwurf bietet das nicht an: {item}.',
    remedy:
      'Öffnen Sie den Entwurf noch einmal. Dienste und Variablen lassen sich nur zusammen mit der Umgebung annehmen.',
  },
  'agent-draft.limit-reached': {
    message: 'Hier können bis zu {limit} importierte Agenten auf eine Prüfung warten.',
    remedy: 'Nehmen Sie zuerst einige an, oder lehnen Sie sie ab.',
  },
  'environment.empty': {
    message: 'Dieser Thread hat seine Sandbox noch nicht benutzt; es gibt keine Umgebung zu sichern.',
    remedy: 'Sichern Sie den Agenten ohne Umgebung, oder führen Sie im Thread zuerst einen Befehl aus.',
  },
  'environment.not-found': {
    message: 'Die erfasste Umgebung wurde nicht gefunden.',
    remedy:
      'Eine erfasste Umgebung wird eine Stunde behalten, wenn kein Agent sie verwendet. Erfassen Sie sie noch einmal.',
  },
  'agent-file.damaged': {
    message: 'Das ist keine vollständige Agentendatei: {problem}',
    remedy: 'Exportieren Sie den Agenten noch einmal, und achten Sie darauf, dass die ganze Datei ankommt.',
  },
  'agent-file.other-format': {
    message: 'Die Datei hat das Format {format}, das diese Version nicht lesen kann.',
    remedy: 'Bringen Sie beide Installationen auf dieselbe Version, und exportieren Sie den Agenten noch einmal.',
  },
  'agent-file.other-image': {
    message: 'Die Umgebung des Agenten braucht das Basis-Image {wanted}, diese Installation hat aber {present}.',
    remedy: 'Bringen Sie beide Installationen auf dieselbe Version, und exportieren Sie den Agenten noch einmal.',
  },
  'environment.disk-too-large': {
    message: 'Die Platte in der Datei ist größer als die Grenze für Sandboxen hier ({limitBytes} Bytes).',
    remedy: 'Erhöhen Sie die Plattengrenze in den Einstellungen, oder exportieren Sie den Agenten mit weniger Dateien.',
  },
  'environment.not-unpacked': {
    message: 'Die Platte in der Datei konnte nicht ausgepackt werden; nichts wurde importiert: {problem}',
    remedy:
      'Exportieren Sie noch einmal, und achten Sie darauf, dass die ganze Datei ankommt. Angenommen werden nur Dateien, die eine threadbox-Installation exportiert hat.',
  },
}
