import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tablesOf } from '../../../platform/database/database.ts'
import { openInstalledDatabase } from '../../../platform/database/installed-database.ts'
import { deriveKey, loadMasterKey } from '../../../platform/secrets/secret-box.ts'
import type { AuditTables } from '../audit.table.ts'
import { presentAudit } from '../audit.ts'
import { auditKeyPurpose, makeAuditHeadFile } from '../audit-head-file.ts'
import { chainRows, olderRows } from '../audit-rows.ts'
import { verifyAudit } from '../audit-verify.ts'
import { describeCheck } from '../audit-words.logic.ts'

/**
 * `verify` checks every row of the audit log and ends with 1 if one was changed, removed, added or swapped. `export`
 * prints all rows as JSON lines, oldest first. Both work beside a running server.
 */
async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true })
  const { directory, open } = openInstalledDatabase(process.env)
  const database = tablesOf<AuditTables>(open.database)
  try {
    if (positionals[0] === 'export') {
      for await (const row of olderRows(database)) await print(JSON.stringify(presentAudit(row)))
      for await (const row of chainRows(database)) await print(JSON.stringify(presentAudit(row)))
      return 0
    }
    const key = deriveKey(await loadMasterKey(join(directory, 'master.key')), auditKeyPurpose)
    const headFile = makeAuditHeadFile(join(directory, 'audit.head'), key)
    const check = await verifyAudit({ database, key, headFile })
    for (const line of describeCheck(check)) await print(line)
    return check.problems.length === 0 ? 0 : 1
  } finally {
    await open.close()
  }
}

async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return 2
})
