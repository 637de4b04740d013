import type { Service } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useServiceLogs } from '../api/services.queries.ts'
import { excerptOf, fenced, summaryOf } from '../state/logs.models.ts'
import type { usePreviewView } from '../state/preview-store.ts'
import { type PreviewView, pathOf, withPath } from '../state/preview-view.models.ts'
import type { PreviewTarget } from '../state/targets.models.ts'
import { type Frame, useFrame } from '../state/use-frame.ts'
import { useSendToChat } from '../state/use-send-to-chat.ts'
import { AddressRow } from './address-row.tsx'
import { LogsDrawer } from './logs-drawer.tsx'
import { PreviewFrame } from './preview-frame.tsx'

type BodyProps = {
  threadId: string
  target: PreviewTarget
  view: PreviewView
  onView: ReturnType<typeof usePreviewView>[1]
  isSheet: boolean
  panelId: string
}

/** The page of one target with its address and its log. For another target use another one. */
export function PreviewBody(props: BodyProps) {
  const { target, view, onView } = props
  const path = pathOf(view, target.key)
  const frame = useFrame(props.threadId, target, path)
  const open = (next: string) => {
    onView((before) => withPath(before, target.key, next))
    if (target.status === 'running') frame.open(next)
  }
  return (
    <>
      <AddressRow
        target={target}
        frame={frame}
        path={path}
        width={view.width}
        onPath={open}
        onWidth={(width) => onView((before) => ({ ...before, width }))}
      />
      {target.service === null ? (
        <PreviewFrame {...props} frame={frame} path={path} width={view.width} lastLine="" onToChat={() => undefined} />
      ) : (
        <WithLogs {...props} service={target.service} frame={frame} path={path} />
      )}
    </>
  )
}

function WithLogs(props: BodyProps & { service: Service; frame: Frame; path: string }) {
  const { t } = useTranslation('preview')
  const { threadId, service, view, onView } = props
  const logs = useServiceLogs(threadId, service, view.areLogsOpen)
  const send = useSendToChat(threadId, props.isSheet)
  const summary = summaryOf(logs.data?.text ?? '')
  const onToChat = (excerpt: string) =>
    send(`${t('chatText', { name: service.name, port: service.port })}\n${fenced(excerptOf(excerpt, ''))}\n`)
  return (
    <>
      <PreviewFrame {...props} width={view.width} lastLine={summary.lastLine} onToChat={onToChat} />
      <LogsDrawer
        service={service}
        logs={logs}
        summary={summary}
        isOpen={view.areLogsOpen}
        onToggle={() => onView((before) => ({ ...before, areLogsOpen: !before.areLogsOpen }))}
        onToChat={onToChat}
      />
    </>
  )
}
