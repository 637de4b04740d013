import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import { type Ledger, makeLedger } from './ledger.ts'
import { usageRoutes } from './usage.routes.ts'
import { makeUsageStore } from './usage.store.ts'
import type { UsageTables } from './usage.table.ts'
import { makeUsageReports, type UsageReportPorts } from './usage-report.usecases.ts'

export type SpendingFeature = { ledger: Ledger; routes: Api }

export function makeSpendingFeature(
  ports: Omit<UsageReportPorts, 'store' | 'ledger' | 'now'> & { open: OpenDatabase; system: System },
): SpendingFeature {
  const { open, system, ...rest } = ports
  const store = makeUsageStore(tablesOf<UsageTables>(open.database))
  const ledger = makeLedger({ store, system })
  const reports = makeUsageReports({ ...rest, store, ledger, now: system.now })
  return { ledger, routes: usageRoutes({ reports }) }
}
