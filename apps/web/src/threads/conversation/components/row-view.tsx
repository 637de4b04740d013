import {
  Brain,
  CodeXml,
  Eye,
  FilePen,
  FileSearch,
  FolderSearch,
  Globe,
  PackageOpen,
  Plug,
  SquareTerminal,
} from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { Markdown } from '../../../page/content/components/markdown.tsx'
import { WakeRow } from '../../../sandboxes/sandbox/components/wake-row.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { CallCard } from '../../cards/components/call-card.tsx'
import { FileCards } from '../../cards/components/file-cards.tsx'
import { isSameRow, type Row } from '../state/rows.logic.ts'
import { FailureRow } from './failure-row.tsx'
import { Node } from './node.tsx'
import { NoticeRow } from './notice-row.tsx'
import { OutgoingRow } from './outgoing-row.tsx'
import { ReasoningRow } from './reasoning-row.tsx'
import { TurnEndRow } from './turn-end-row.tsx'
import { UserMessage } from './user-message.tsx'
import { WorkingRow } from './working-row.tsx'

const callIcons = {
  run_command: SquareTerminal,
  run_python: CodeXml,
  read_file: FileSearch,
  write_file: FilePen,
  edit_file: FilePen,
  list_files: FolderSearch,
  search_files: FolderSearch,
  share_file: PackageOpen,
  view_image: FileSearch,
  start_service: Globe,
  stop_service: Globe,
  restart_service: Globe,
  service_logs: Globe,
  list_services: Globe,
  view_page: Eye,
  connection: Plug,
} as const

/** One row of the conversation with its node on the thread line, which is dashed where the sandbox slept. */
export const RowView = memo(
  function RowView(props: { row: Row }) {
    const content = <RowContent row={props.row} />
    return props.row.wasAsleep === true ? <div className="asleep">{content}</div> : content
  },
  (before, after) => isSameRow(before.row, after.row),
)

function RowContent(props: { row: Row }): ReactNode {
  const { row } = props
  switch (row.kind) {
    case 'user':
      return <UserMessage entry={row.entry} />
    case 'outgoing':
      return <OutgoingRow message={row.message} />
    case 'text':
      return (
        <div className="r" data-entry={row.entry.id}>
          <Node isDot />
          <Markdown isStreaming={row.entry.status === 'streaming'}>{row.entry.text}</Markdown>
        </div>
      )
    case 'reasoning':
      return <ReasoningRow entry={row.entry} icon={<Brain className="i" size={16} />} />
    case 'call': {
      const Icon = callIcons[row.entry.tool]
      const isBusy = row.entry.status === 'running' || row.entry.status === 'waiting'
      return (
        <div className="r" data-entry={row.entry.id}>
          <Node>{isBusy ? <Glyph state="waking" /> : <Icon className="i" size={16} />}</Node>
          <CallCard entry={row.entry} />
        </div>
      )
    }
    case 'files':
      return (
        <div className="r" data-entry={row.entries[0]?.id}>
          <Node isLow>
            <PackageOpen className="i" size={16} />
          </Node>
          <FileCards entries={row.entries} />
        </div>
      )
    case 'notice':
      return <NoticeRow entry={row.entry} turn={row.turn} isUndoable={row.isUndoable} />
    case 'wake':
      return <WakeRow entry={row.entry} isLatest={row.isLatest} />
    case 'failure':
      return <FailureRow turn={row.turn} isLatest={row.isLatest} />
    case 'working':
      return <WorkingRow turn={row.turn} />
    case 'turn-end':
      return <TurnEndRow turn={row.turn} text={row.text} isLatest={row.isLatest} />
  }
}
