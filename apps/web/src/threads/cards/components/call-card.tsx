import type { ToolCallEntry } from '@threadbox/sdk'
import { serviceOfCall } from '../state/service-call.logic.ts'
import { CommandCard } from './command-card.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { DiffCard } from './diff-card.tsx'
import { PageCard } from './page-card.tsx'
import { PythonCard } from './python-card.tsx'
import { ServiceCard } from './service-card.tsx'
import { TextCard } from './text-card.tsx'

/** A call of the agent (or of the user, in direct mode) as the card of its tool. */
export function CallCard(props: { entry: ToolCallEntry }) {
  switch (props.entry.tool) {
    case 'run_command':
      return <CommandCard entry={props.entry} />
    case 'run_python':
      return <PythonCard entry={props.entry} />
    case 'write_file':
    case 'edit_file':
      return <DiffCard entry={props.entry} />
    case 'start_service':
    case 'restart_service': {
      const called = serviceOfCall(props.entry)
      return called === null ? <TextCard entry={props.entry} /> : <ServiceCard called={called} />
    }
    case 'connection':
      return <ConnectionCard entry={props.entry} />
    case 'view_page':
      return <PageCard entry={props.entry} />
    case 'read_file':
    case 'list_files':
    case 'search_files':
    case 'view_image':
    case 'share_file':
    case 'stop_service':
    case 'service_logs':
    case 'list_services':
      return <TextCard entry={props.entry} />
  }
}
