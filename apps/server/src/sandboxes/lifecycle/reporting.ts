import type { Logger } from '@threadbox/telemetry'
import type { Announcements } from './announcements.ts'
import { makeAnnouncements } from './announcements.ts'
import type { RestartedService } from './survival-items.models.ts'
import { makeSurvivalReports, type ReportDependencies, type SurvivalReports } from './survival-reports.ts'

/** Resolves with what this boot has started again of what ran before it, as far as it can be waited for. */
export type RestartSource = (threadId: string, bootId: string) => Promise<RestartedService[]>

/** What threads say of their sandboxes, by themselves and after a wake. */
export type Reporting = {
  reports: SurvivalReports
  announcements: Announcements
  /** Somebody begins to wait for a place among the awake sandboxes. */
  tellWaiting(threadId: string, place: { position: number; places: number }): Promise<void>
}

export function makeReporting(
  ports: Omit<ReportDependencies, 'restartedServices'> & { restartSources: () => readonly RestartSource[] },
): Reporting {
  const reports = makeSurvivalReports({
    ...ports,
    restartedServices: async (threadId, bootId) =>
      (await Promise.all(ports.restartSources().map((ask) => ask(threadId, bootId)))).flat(),
  })
  const announcements = makeAnnouncements({ ...ports, store: ports.sandboxes })
  return {
    reports,
    announcements,
    tellWaiting: (threadId, place) => tellWaiting({ reports, announcements, logger: ports.logger }, threadId, place),
  }
}

async function tellWaiting(
  known: { announcements: Announcements; reports: SurvivalReports; logger: Logger },
  threadId: string,
  place: { position: number; places: number },
): Promise<void> {
  try {
    await known.announcements.tell(threadId, 'sandbox-waiting', place)
    await known.reports.record(threadId, { code: 'wake-queued', params: place })
  } catch (error) {
    known.logger.debug({ err: error, threadId }, 'wait for a place was not told')
  }
}
