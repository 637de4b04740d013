import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { tablesOf } from '../../../platform/database/database.ts'
import { openInstalledDatabase } from '../../../platform/database/installed-database.ts'
import { deriveKey, loadMasterKey } from '../../../platform/secrets/secret-box.ts'
import { makeSystem } from '../../../platform/system/system.ts'
import type { AuditTables } from '../../audit/audit.table.ts'
import { makeAudit } from '../../audit/audit.ts'
import { auditKeyPurpose } from '../../audit/audit-head-file.ts'
import { makeUserStore } from '../../users/users.store.ts'
import type { UserTables } from '../../users/users.table.ts'
import { makeInviteStore } from '../invites.store.ts'
import type { InviteTables } from '../invites.table.ts'
import { makeResetLink } from '../invites.usecases.ts'

/**
 * Prints the path of a link with which the person with this address sets a new password: for an owner who can’t sign in.
 * Works beside a running server; what only the machine’s administrator can run needs no other permission.
 */
async function main(): Promise<void> {
  const email = process.argv[2] ?? ''
  const { directory, open } = openInstalledDatabase(process.env)
  try {
    const people = await makeUserStore(tablesOf<UserTables>(open.database)).people()
    const person = people.find((one) => one.email === email.trim().toLowerCase())
    if (person === undefined) {
      const known = people.map((one) => one.email).join(', ')
      throw new Error(
        `There is no account with the address ${email}. Known addresses: ${known === '' ? 'none' : known}`,
      )
    }
    const system = makeSystem({ now: Date.now, randomBytes })
    const key = deriveKey(await loadMasterKey(join(directory, 'master.key')), auditKeyPurpose)
    // The file with the end of the log may be behind: the running server writes it.
    const audit = makeAudit({ database: tablesOf<AuditTables>(open.database), system, key, headFile: null })
    const store = makeInviteStore(tablesOf<InviteTables>(open.database))
    const { path } = await makeResetLink({ store, audit, system }, { userId: null, personId: person.id })
    process.stdout.write(`${path}\n`)
  } finally {
    await open.close()
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
