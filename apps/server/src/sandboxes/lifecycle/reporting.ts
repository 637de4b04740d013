import type { Logger } from '@threadbox/telemetry'
import type { WakePlace } from '../state/room.ts'
import type { Announcements } from './announcements.ts'
import { makeAnnouncements } from './announcements.ts'
import type { RestartedService } from './survival-items.logic.ts'
import { makeSurvivalReports, type ReportDependencies, type SurvivalReports } from './survival-reports.ts'

/** Resolves with the services that this boot has restarted of those before it, as far as they can be waited for. */
export type RestartSource = (threadId: string, bootId: string) => Promise<RestartedService[]>

/** Reports and notices that threads get about their sandboxes. */
export type Reporting = {
  reports: SurvivalReports
  announcements: Announcements
  /** Announces that a thread has begun to wait for host memory. */
  announceWaiting(threadId: string, place: WakePlace): Promise<void>
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
    announceWaiting: (threadId, place) =>
      announceWaiting({ reports, announcements, logger: ports.logger }, threadId, place),
  }
}

async function announceWaiting(
  known: { announcements: Announcements; reports: SurvivalReports; logger: Logger },
  threadId: string,
  place: WakePlace,
): Promise<void> {
  try {
    await known.announcements.notify(threadId, 'sandbox-waiting', place)
    await known.reports.record(threadId, { code: 'wake-queued', params: place })
  } catch (error) {
    known.logger.debug({ err: error, threadId }, 'a waiting thread was not announced')
  }
}
