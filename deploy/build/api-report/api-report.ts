import { makeTestApplication } from '../../../apps/server/src/application.test-utils.ts'
import { editableSettings } from '../../../apps/server/src/people/settings/editable-settings.ts'
import { findErrors, findSettings } from '../docs-sources.ts'
import { sdkTypes } from './client-types.ts'
import { protocolSchemas, protoFiles } from './protocol-schemas.ts'
import { type JsonValue, shapeOf, withoutWords } from './shapes.ts'
import { hostTables, storedFiles } from './stored-files.ts'
import { databaseTables, migrationNames } from './stored-rows.ts'

/**
 * Everything that programs, databases and files outside of this checkout rely on and that must not change unnoticed.
 * Texts (descriptions, messages) are left out, so that only a change of a contract changes the report.
 */
export async function makeApiReport(root: string): Promise<Record<string, JsonValue>> {
  await using application = await makeTestApplication()
  const openApi = (await (await application.call('GET', '/api/v1/openapi.json')).json()) as JsonValue
  const settings = await findSettings(root)
  const errors = await findErrors(root)
  return {
    routes: withoutWords(openApi),
    schemas: protocolSchemas(),
    protoFiles: protoFiles(root),
    settings: Object.fromEntries(
      settings.map(({ setting }) => [
        setting.environment,
        { allowed: shapeOf(setting.schema), default: setting.default as JsonValue },
      ]),
    ),
    editableSettings: Object.fromEntries(
      Object.entries(editableSettings).map(([name, setting]) => [
        name,
        { allowed: shapeOf(setting.schema), default: setting.default },
      ]),
    ),
    errorCodes: Object.fromEntries(errors.map(({ code, kind }) => [code, kind])),
    tables: await databaseTables(application.open.database),
    migrations: await migrationNames(application.open.database),
    hostTables: await hostTables(),
    storedFiles: storedFiles(),
    sdk: await sdkTypes(root),
  }
}

export const apiReportPath = 'docs/api-report.json'

/** One line per route, schema, table or file of types, so that a change shows as the lines that it touches. */
export function apiReportText(report: Record<string, JsonValue>): string {
  const sections = Object.entries(report).map(([name, value]) => `${JSON.stringify(name)}: ${entriesText(value, 2)}`)
  return `{\n${sections.join(',\n')}\n}\n`
}

/** Objects are expanded to the given depth; deeper values are on one line. */
function entriesText(value: JsonValue, depth: number): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (depth === 0 || !isObject) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${entriesText(item, depth - 1)}`,
  )
  return `{\n${entries.join(',\n')}\n}`
}
