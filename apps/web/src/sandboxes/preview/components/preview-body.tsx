import type { Service } from '@threadbox/sdk'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStable } from '../../../page/client/use-stable.ts'
import { useUploadsStore } from '../../../page/thread/state/uploads-context.ts'
import { useServiceLogs } from '../api/services.queries.ts'
import { excerptOf, fenced, summaryOf } from '../state/logs.logic.ts'
import type { usePreviewView } from '../state/preview-store.ts'
import { type PreviewView, pathOf, withPath } from '../state/preview-view.logic.ts'
import type { TakenScreenshot } from '../state/take-screenshot.ts'
import type { PreviewTarget } from '../state/targets.logic.ts'
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

/** The page of one target with its address and log. Use one instance per target. */
export function PreviewBody(props: BodyProps) {
  const { target, view, onView } = props
  const path = pathOf(view, target.key)
  const frame = useFrame(props.threadId, target, path)
  const { camera, toggle, ...shooting } = useShooting(props, frame)
  useRealPath(frame.page.path, (real) => onView((before) => withPath(before, target.key, real)))
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
        camera={camera}
        isShooting={shooting.shooting !== null}
        onShoot={toggle}
      />
      {target.service === null ? (
        <PreviewFrame
          {...props}
          frame={frame}
          path={path}
          width={view.width}
          lastLine=""
          onToChat={() => undefined}
          {...shooting}
        />
      ) : (
        <WithLogs {...props} {...shooting} service={target.service} frame={frame} path={path} />
      )}
    </>
  )
}

/** Follows the page: the path that it reports replaces the one that was opened. */
function useRealPath(real: string | null, onReal: (path: string) => void): void {
  const follow = useStable(onReal)
  useEffect(() => {
    if (real !== null) follow(real)
  }, [real, follow])
}

/**
 * Selection of a region for a screenshot. The camera button starts and cancels it; Ask ends it with a screenshot in the
 * composer.
 */
function useShooting(props: BodyProps, frame: Frame) {
  const { threadId, target } = props
  const [chosen, setChosen] = useState<AbortController | null>(null)
  const camera = useRef<HTMLButtonElement>(null)
  const uploads = useUploadsStore()
  const toComposer = useSendToChat(threadId, props.isSheet)
  const isPossible = target.status === 'running' && frame.page.path !== null && !frame.page.isLocked
  if (chosen !== null && !isPossible) setChosen(null)
  const mode = isPossible ? chosen : null
  const onShootEnd = (taken: TakenScreenshot | null) => {
    // Aborted here and not on unmount, so that a screenshot that arrives in between is dropped too.
    mode?.abort()
    setChosen(null)
    if (taken === null) return camera.current?.focus()
    uploads.add(threadId, [taken.file], { screenshot: taken.screenshot })
    toComposer('')
  }
  const toggle = () => (mode === null ? setChosen(new AbortController()) : onShootEnd(null))
  return { camera, shooting: mode?.signal ?? null, onShootEnd, toggle }
}

function WithLogs(
  props: BodyProps & {
    service: Service
    frame: Frame
    path: string
    shooting: AbortSignal | null
    onShootEnd: (taken: TakenScreenshot | null) => void
  },
) {
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
        page={props.frame.page}
        isOpen={view.areLogsOpen}
        onToggle={() => onView((before) => ({ ...before, areLogsOpen: !before.areLogsOpen }))}
        onToChat={onToChat}
        onPageToChat={(excerpt) =>
          send(`${t('chatConsole', { name: service.name })}\n${fenced(excerptOf(excerpt, ''))}\n`)
        }
      />
    </>
  )
}
