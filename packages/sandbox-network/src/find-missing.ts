import { hasTable } from './firewall.ts'
import { makeNetworkNames } from './names.logic.ts'
import { hasRouter, routerPlaceOf } from './router.ts'

/** What of an installation’s network was removed by another program; undefined if nothing was. Changes nothing. */
export async function findMissing(
  installation: string,
): Promise<'router' | 'router-table' | 'machine-table' | undefined> {
  const names = makeNetworkNames(installation)
  if (!(await hasRouter(names))) return 'router'
  if (!(await hasTable(names.table, routerPlaceOf(names)))) return 'router-table'
  return (await hasTable(names.table)) ? undefined : 'machine-table'
}
