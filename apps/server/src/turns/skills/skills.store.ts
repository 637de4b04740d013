import type { Kysely } from 'kysely'
import type { SkillRow, SkillTables } from './skills.table.ts'

/** The only code that touches `skills`. Homes are ids of people and workspaces. */
export type SkillStore = {
  /** Throws a unique violation when its home has a skill of this name. */
  insert(row: SkillRow): Promise<void>
  find(skillId: string): Promise<SkillRow | undefined>
  /** In the order of names. */
  list(homes: readonly string[]): Promise<SkillRow[]>
  count(home: string): Promise<number>
  /** Throws a unique violation as {@link insert}, as {@link replace} does. False when it is not there any more. */
  update(skillId: string, columns: Partial<SkillRow>): Promise<boolean>
  /** Puts another content in the place of the one with this digest. False when it has another one, or is not there. */
  replace(skillId: string, change: { digest: string; columns: Partial<SkillRow> }): Promise<boolean>
  remove(skillId: string): Promise<void>
  idsIn(workspaceId: string): Promise<string[]>
}

export function makeSkillStore(database: Kysely<SkillTables>): SkillStore {
  return {
    insert: async (row) => {
      await database.insertInto('skills').values(row).execute()
    },
    find: (skillId) => database.selectFrom('skills').selectAll().where('id', '=', skillId).executeTakeFirst(),
    list: async (homes) => {
      if (homes.length === 0) return []
      return await database
        .selectFrom('skills')
        .selectAll()
        .where('home', 'in', homes)
        .orderBy('name')
        .orderBy('id')
        .execute()
    },
    count: async (home) => {
      const row = await database
        .selectFrom('skills')
        .select((builder) => builder.fn.countAll().as('count'))
        .where('home', '=', home)
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },
    update: async (skillId, columns) => {
      const result = await database.updateTable('skills').set(columns).where('id', '=', skillId).executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    replace: async (skillId, { digest, columns }) => {
      const skill = database.updateTable('skills').set(columns).where('id', '=', skillId)
      return (await skill.where('digest', '=', digest).executeTakeFirst()).numUpdatedRows > 0n
    },
    remove: async (skillId) => {
      await database.deleteFrom('skills').where('id', '=', skillId).execute()
    },
    idsIn: async (workspaceId) => {
      const rows = await database.selectFrom('skills').select('id').where('workspace_id', '=', workspaceId).execute()
      return rows.map(({ id }) => id)
    },
  }
}
