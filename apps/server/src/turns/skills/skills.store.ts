import type { Kysely } from 'kysely'
import { workspaceOwnerSql } from '../../threads/public.ts'
import type { SkillRow, SkillTables } from './skills.table.ts'

/** The only code that touches `skills`. A home is the id of a user or a workspace. */
export type SkillStore = {
  /** Throws a unique violation if the home has a skill of this name. */
  insert(row: SkillRow): Promise<void>
  find(skillId: string): Promise<SkillRow | undefined>
  /** Skills ordered by name. */
  list(homes: readonly string[]): Promise<SkillRow[]>
  count(home: string): Promise<number>
  /**
   * Throws a unique violation like {@link insert}, as does {@link replace}. Returns false when the skill was deleted.
   */
  update(skillId: string, columns: Partial<SkillRow>): Promise<boolean>
  /** Replaces the content with this digest. Returns false when the skill has another content or was deleted. */
  replace(skillId: string, change: { digest: string; columns: Partial<SkillRow> }): Promise<boolean>
  remove(skillId: string): Promise<void>
  idsIn(workspaceId: string): Promise<string[]>
  /** Gives those that the person has created for workspaces to the workspaces’ owners. */
  release(userId: string): Promise<void>
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
    release: async (userId) => {
      await database
        .updateTable('skills')
        .set({ owner_id: workspaceOwnerSql('skills') })
        .where('owner_id', '=', userId)
        .where('workspace_id', 'is not', null)
        .execute()
    },
    idsIn: async (workspaceId) => {
      const rows = await database.selectFrom('skills').select('id').where('workspace_id', '=', workspaceId).execute()
      return rows.map(({ id }) => id)
    },
  }
}
