import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Events } from '../../platform/events/events.ts'
import type { Api } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import type { TurnEvents } from '../turns.events.ts'
import { type Ledger, makeLedger, type SpendLimits } from './ledger.ts'
import { usageRoutes } from './usage.routes.ts'
import { makeUsageStore, type UsageStore } from './usage.store.ts'
import type { UsageTables } from './usage.table.ts'
import { makeUsageReports, type UsageReportPorts, type UsageReports } from './usage-report.usecases.ts'

export type SpendingFeature = { ledger: Ledger; reports: UsageReports; spent: UsageStore['spent']; routes: Api }

export function makeSpendingFeature(
  ports: Omit<UsageReportPorts, 'store' | 'ledger' | 'now'> & {
    open: OpenDatabase
    limitsOf: SpendLimits
    events: Pick<Events<TurnEvents>, 'emit'>
    system: System
  },
): SpendingFeature {
  const { open, limitsOf, events, system, ...rest } = ports
  const store = makeUsageStore(tablesOf<UsageTables>(open.database))
  const ledger = makeLedger({ store, limitsOf, events, system })
  const reports = makeUsageReports({ ...rest, store, ledger, now: system.now })
  return { ledger, reports, spent: store.spent, routes: usageRoutes({ reports }) }
}
