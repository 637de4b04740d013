import type { ErrorWords } from '../words.ts'

/** Sentences for the errors about agents. */
export const agentErrors: ErrorWords = {
  'agent.limit-reached': {
    message: 'Hier sind schon {limit} Agenten, und mehr werden nicht behalten.',
    remedy: 'Löschen Sie einen, der nicht gebraucht wird, oder legen Sie diesen in einen Arbeitsbereich.',
  },
  'agent.name-taken': {
    message: 'Einen Agenten {name} gibt es hier schon.',
    remedy: 'Wählen Sie einen anderen Namen, oder benennen oder löschen Sie zuerst den anderen.',
  },
  'agent.not-found': {
    message: 'Einen Agenten mit dieser Kennung gibt es nicht.',
    remedy: 'Vielleicht wurde er gelöscht. Wählen Sie einen anderen aus der Liste.',
  },
  'agent.start-interrupted': {
    message: 'Ein Thread mit dieser Kennung war im Entstehen, als der Server endete, und wird entfernt.',
    remedy: 'Beginnen Sie einen anderen Thread.',
  },
  'agent.version-current': {
    message: 'Mit dieser Version beginnen Threads.',
    remedy: 'Machen Sie zuerst eine andere zur aktuellen, oder löschen Sie den Agenten.',
  },
  'agent.version-limit-reached': {
    message: 'Der Agent hat {limit} Versionen, und mehr werden nicht behalten.',
    remedy: 'Löschen Sie Versionen, die nicht mehr gebraucht werden.',
  },
  'agent.version-not-found': {
    message: 'Diese Version hat der Agent nicht.',
    remedy: 'Vielleicht wurde sie gelöscht. Wählen Sie eine andere aus seinen Versionen.',
  },
  'environment.empty': {
    message: 'Dieser Thread hat seinen Computer noch nicht benutzt; es gibt davon nichts zu sichern.',
    remedy: 'Sichern Sie einen Agenten ohne Computer, oder benutzen Sie zuerst den Thread.',
  },
  'environment.not-found': {
    message: 'Einen erfassten Computer mit dieser Kennung gibt es nicht.',
    remedy: 'Er wird eine Stunde behalten, wenn kein Agent ihn hat. Erfassen Sie ihn noch einmal.',
  },
  'agent-file.damaged': {
    message: 'Die Datei ist kein Agent, oder nicht der ganze: {problem}',
    remedy: 'Exportieren Sie den Agenten noch einmal, und achten Sie darauf, dass die ganze Datei ankommt.',
  },
  'agent-file.other-format': {
    message: 'Die Datei hat die Form {format}, die diese Version nicht liest.',
    remedy: 'Bringen Sie beide Installationen auf dieselbe Version, und exportieren Sie noch einmal.',
  },
  'agent-file.other-image': {
    message: 'Der Computer des Agenten gehört über das Image {wanted}; hier ist {present}.',
    remedy: 'Bringen Sie beide Installationen auf dieselbe Version, und exportieren Sie den Agenten noch einmal.',
  },
  'environment.disk-too-large': {
    message: 'Die Platte in der Datei ist größer, als ein Computer hier sein darf ({limitBytes} Bytes).',
    remedy: 'Erhöhen Sie die Grenze der Platten in den Einstellungen, oder exportieren Sie mit weniger Dateien.',
  },
  'environment.not-unpacked': {
    message: 'Die Platte in der Datei konnte nicht ausgepackt werden, und nichts davon wird behalten: {problem}',
    remedy: 'Exportieren Sie noch einmal, und achten Sie darauf, dass die ganze Datei ankommt.',
  },
}
