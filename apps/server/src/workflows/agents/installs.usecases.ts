import type { AgentOffer, Entry } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { UserHub } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog, ThreadRows } from '../../threads/public.ts'
import { type InstalledPackage, installsOf, installsOfCell } from './installs.logic.ts'
import type { InstallTables } from './installs.table.ts'

/** A package is offered in the third thread that installed it: after this many earlier ones. */
const threadsBefore = 2
/** A longer list does not help a reader, and a command can name thousands. */
const maxPackages = 50

/** Records what commands of threads installed, and offers to save a thread as an agent when installs repeat. */
export type Installs = {
  /** Records what a turn installed. In the third thread with the same packages the offer is made, once per package. */
  turnEnded(turn: { id: string; threadId: string }): Promise<void>
  /** The caller has checked that the user may access the thread. */
  offer(userId: string, threadId: string): Promise<AgentOffer>
  /** Dismisses the offer; it is not made again for these packages. */
  close(userId: string, threadId: string): Promise<AgentOffer>
}

type InstallsDependencies = {
  open: OpenDatabase
  log: Pick<ThreadLog, 'entriesOfTurn'>
  rows: Pick<ThreadRows, 'findAny'>
  system: System
  userHub: Pick<UserHub, 'publish'>
}

export function makeInstalls({ open, log, rows: threads, system, userHub }: InstallsDependencies): Installs {
  const database = tablesOf<InstallTables>(open.database)
  const offer = async (userId: string, threadId: string) => {
    const rows = await database
      .selectFrom('agent_offers')
      .select('package')
      .where('user_id', '=', userId)
      .where('thread_id', '=', threadId)
      .where('state', '=', 'open')
      .orderBy('package')
      .execute()
    return { packages: rows.map((row) => row.package.slice(row.package.indexOf(':') + 1)) }
  }
  return {
    offer,
    turnEnded: async ({ id, threadId }) => {
      const thread = await threads.findAny(threadId)
      const packages = (await log.entriesOfTurn(threadId, id)).flatMap(installedBy)
      if (thread === undefined || packages.length === 0) return
      const own = { thread_id: threadId, user_id: thread.user_id, at: system.now() }
      const rows = [...new Set(packages)].slice(0, maxPackages).map((name) => ({ ...own, package: name }))
      await database
        .insertInto('thread_packages')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['thread_id', 'package']).doNothing())
        .execute()
      const repeated = await repeatedPackages(database, own)
      if (repeated.length === 0) return
      await database
        .insertInto('agent_offers')
        .values(repeated.map((name) => ({ ...own, package: name, state: 'open' as const })))
        .onConflict((conflict) => conflict.columns(['user_id', 'package']).doNothing())
        .execute()
      userHub.publish(thread.user_id, { type: 'agents-updated' })
    },
    close: async (userId, threadId) => {
      const last = await offer(userId, threadId)
      await database
        .updateTable('agent_offers')
        .set({ state: 'closed' })
        .where('user_id', '=', userId)
        .where('thread_id', '=', threadId)
        .execute()
      return last
    },
  }
}

/**
 * The thread’s packages that at least `threadsBefore` other threads of the user also have and that were not offered
 * before.
 */
async function repeatedPackages(
  database: Kysely<InstallTables>,
  { thread_id, user_id }: { thread_id: string; user_id: string },
): Promise<string[]> {
  const rows = await database
    .selectFrom('thread_packages as own')
    .innerJoin('thread_packages as other', (join) =>
      join.onRef('other.package', '=', 'own.package').onRef('other.user_id', '=', 'own.user_id'),
    )
    .select('own.package')
    .where('own.thread_id', '=', thread_id)
    .where('other.thread_id', '!=', thread_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('agent_offers')
            .select('agent_offers.package')
            .where('agent_offers.user_id', '=', user_id)
            .whereRef('agent_offers.package', '=', 'own.package'),
        ),
      ),
    )
    .groupBy('own.package')
    .having((builder) => builder.fn.countAll(), '>=', threadsBefore)
    .execute()
  return rows.map((row) => row.package)
}

const commandInput = z.object({ command: z.string() })
const cellInput = z.object({ code: z.string() })

/** The packages that a successful call installed. */
function installedBy(entry: Entry): InstalledPackage[] {
  if (entry.kind !== 'tool-call' || entry.status !== 'succeeded') return []
  if (entry.result?.kind === 'command' && entry.result.exitCode === 0) {
    const input = commandInput.safeParse(entry.input)
    return input.success ? installsOf(input.data.command) : []
  }
  if (entry.result?.kind === 'python' && entry.result.traceback === null) {
    const input = cellInput.safeParse(entry.input)
    return input.success ? installsOfCell(input.data.code) : []
  }
  return []
}
