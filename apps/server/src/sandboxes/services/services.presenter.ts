import type { Service } from '@threadbox/protocol/public'
import { type SandboxFacts, statusOf } from './services.logic.ts'
import type { ServiceRow } from './services.table.ts'

/** A service as people and agents see it. */
export function presentService(row: ServiceRow, sandbox: SandboxFacts | undefined): Service {
  const { name, command, port, cwd } = row
  const { status, since } = statusOf(row, sandbox)
  const problem = row.problem_json === null ? null : (JSON.parse(row.problem_json) as Service['problem'])
  const environment = JSON.parse(row.environment_json) as Record<string, string>
  return { name, command, port, cwd, environment, status, since, problem: status === 'error' ? problem : null }
}
