import type { ErrorWords } from '../errors.ts'

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
}
