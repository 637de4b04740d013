import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrate } from '../../../apps/server/src/migrations.registry.ts'
import type { UserTables } from '../../../apps/server/src/people/users/users.table.ts'
import { openDatabase, tablesOf } from '../../../apps/server/src/platform/database/database.ts'
import { makeAccess } from '../../../apps/server/src/threads/access/access.ts'
import { makeWorkspaceStore } from '../../../apps/server/src/threads/access/workspaces.store.ts'
import type { WorkspaceTables } from '../../../apps/server/src/threads/access/workspaces.table.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

const checks = 1000
const people = 15

/** Whether a person may work in a thread of a workspace: what each request about a thread asks first. */
export async function accessCheck(stage: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-bench-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const open = openDatabase({ file: path.join(directory, 'server.db') })
  cleanup.defer(() => open.close())
  await migrate(open)
  const tables = tablesOf<UserTables & WorkspaceTables>(open.database)
  await addPeople(tables)
  const access = makeAccess({ store: makeWorkspaceStore(tablesOf<WorkspaceTables>(open.database)) })
  const figure = emptyFigure({
    id: 'access-check',
    title: `Checking what one of ${people} members may do in a workspace’s thread (mean of ${checks}, SQLite)`,
    floorTitle: 'reading one row of a person by its key',
    target: { maxP50: 0.1 },
  })
  const subject = { workspaceId: 'w1', ownerId: 'u0', isPrivate: false }
  for (let round = 0; round < stage.rounds; round++) {
    figure.floorSamples.push(
      await each((count) =>
        tables
          .selectFrom('users')
          .select('id')
          .where('id', '=', `u${count % people}`)
          .executeTakeFirstOrThrow(),
      ),
    )
    figure.samples.push(
      await each(async (count) => {
        if (!(await access.may(`u${count % people}`, 'work', subject))) throw new Error('a member may not work')
      }),
    )
  }
  return [figure]
}

async function each(work: (count: number) => Promise<unknown>): Promise<number> {
  const took = await timed(async () => {
    for (let count = 0; count < checks; count++) await work(count)
  })
  return took / checks
}

async function addPeople(tables: ReturnType<typeof tablesOf<UserTables & WorkspaceTables>>): Promise<void> {
  const at = new Date().toISOString()
  for (let count = 0; count < people; count++) {
    const person = { id: `u${count}`, name: `Person ${count}`, email: `person-${count}@example.com` }
    await tables
      .insertInto('users')
      .values({ ...person, emailVerified: 0, image: null, createdAt: at, updatedAt: at })
      .execute()
  }
  const workspace = { id: 'w1', owner_id: 'u0', name: 'Team', name_key: 'team', instructions: '', model_id: null }
  await tables
    .insertInto('workspaces')
    .values({ ...workspace, policy_json: '{}', limits_json: '{}', created_at: 0, archived_at: null, deleted_at: null })
    .execute()
  for (let count = 0; count < people; count++) {
    const member = { workspace_id: 'w1', user_id: `u${count}`, role: 'member' }
    await tables
      .insertInto('workspace_members')
      .values({ ...member, position: 0, is_collapsed: 0, joined_at: 0 })
      .execute()
  }
}
