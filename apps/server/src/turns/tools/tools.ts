import { toolNames } from '@threadbox/protocol/public'
import { jsonSchema, type ToolSet, tool, zodSchema } from 'ai'
import type { OfferedTool } from '../connections/agent-connections.ts'
import { editFile } from './edit-file.tool.ts'
import { listFiles } from './list-files.tool.ts'
import { listServices } from './list-services.tool.ts'
import { readFile } from './read-file.tool.ts'
import { restartService } from './restart-service.tool.ts'
import { runCommand } from './run-command.tool.ts'
import { runPython } from './run-python.tool.ts'
import { searchFiles } from './search-files.tool.ts'
import { serviceLogs } from './service-logs.tool.ts'
import { shareFile } from './share-file.tool.ts'
import { startService } from './start-service.tool.ts'
import { stopService } from './stop-service.tool.ts'
import type { Tool } from './tool.ts'
import { viewImage } from './view-image.tool.ts'
import { viewPage } from './view-page.tool.ts'
import { writeFile } from './write-file.tool.ts'

/** All tools of the agent by name. An input is parsed with the tool's own schema before the tool gets it. */
export const tools = {
  run_command: runCommand,
  run_python: runPython,
  read_file: readFile,
  write_file: writeFile,
  edit_file: editFile,
  list_files: listFiles,
  search_files: searchFiles,
  share_file: shareFile,
  view_image: viewImage,
  start_service: startService,
  stop_service: stopService,
  restart_service: restartService,
  service_logs: serviceLogs,
  list_services: listServices,
  view_page: viewPage,
} as const satisfies Record<(typeof toolNames)[number], unknown>

export function toolNamed(name: string): Tool | undefined {
  return toolNames.find((known) => known === name) === undefined
    ? undefined
    : (tools[name as keyof typeof tools] as unknown as Tool)
}

/**
 * The built-in tools for a provider: without an executor, because the engine runs them. Converted once: otherwise the SDK
 * converts each schema for each request to a model.
 */
const ownTools: ToolSet = Object.fromEntries(
  toolNames.map((name) => [
    name,
    tool({ description: tools[name].description, inputSchema: zodSchema(tools[name].input as never) }),
  ]),
)

/** All tools of a request. The names of connections' tools contain a separator that no built-in name has. */
export function modelToolsWith(offered: readonly OfferedTool[]): ToolSet {
  const theirs = offered.map(({ agentName, description, schema }) => [
    agentName,
    tool({ description, inputSchema: jsonSchema(schema as never) }),
  ])
  return { ...(Object.fromEntries(theirs) as ToolSet), ...ownTools }
}
