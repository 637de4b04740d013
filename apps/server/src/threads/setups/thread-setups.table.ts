/** What a thread took from the agent that it was started from. The agent may have been changed or deleted since. */
export type ThreadSetupRow = {
  thread_id: string
  instructions: string
  skill_ids_json: string | null
  connection_ids_json: string | null
}

export type ThreadSetupTables = { thread_setups: ThreadSetupRow }
