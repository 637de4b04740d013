import { previewFrameSandbox } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { classNames } from '../../../ui/class-names.ts'
import { coverOf, framePermissions, isOnItsWay } from '../state/frame.logic.ts'
import { type FrameWidth, frameWidths } from '../state/preview-view.logic.ts'
import type { TakenScreenshot } from '../state/take-screenshot.ts'
import { keyOfPort, type PreviewTarget } from '../state/targets.logic.ts'
import type { Frame } from '../state/use-frame.ts'
import { FrameCover } from './frame-cover.tsx'
import { ScreenshotMode } from './screenshot-mode.tsx'

/** The page of a service, and the message that covers it while the service isn’t running. */
export function PreviewFrame(props: {
  threadId: string
  target: PreviewTarget
  frame: Frame
  path: string
  width: FrameWidth
  panelId: string
  lastLine: string
  onToChat: (excerpt: string) => void
  /** The signal of the running region selection, aborted by a cancel. */
  shooting: AbortSignal | null
  onShootEnd: (taken: TakenScreenshot | null) => void
}) {
  const { t } = useTranslation('preview')
  const { target, frame } = props
  const cover = coverOf(target.status, frame)
  const shooting = cover === 'none' ? props.shooting : null
  const width = frameWidths[props.width]
  const title = t('frameTitle', { name: target.name === '' ? keyOfPort(target.port) : target.name })
  return (
    <div className="frame" role="tabpanel" id={props.panelId} aria-label={title}>
      {isOnItsWay(target.status, frame) && <div className="frame-bar" role="progressbar" aria-label={t('loading')} />}
      <div
        className={classNames('frame-scroll', width !== null && 'frame-scroll--device')}
        inert={cover !== 'none' || shooting !== null}
      >
        <iframe
          ref={frame.element}
          title={title}
          sandbox={previewFrameSandbox}
          allow={framePermissions}
          referrerPolicy="no-referrer"
          style={width === null ? undefined : { width }}
          onLoad={frame.onLoad}
        />
      </div>
      {shooting !== null && (
        <ScreenshotMode
          target={target}
          frame={frame}
          canceled={shooting}
          onCancel={() => props.onShootEnd(null)}
          onTaken={props.onShootEnd}
        />
      )}
      {cover !== 'none' && (
        <FrameCover
          threadId={props.threadId}
          target={target}
          cover={cover}
          error={frame.error}
          lastLine={props.lastLine}
          onRetry={() => frame.open(props.path)}
          onToChat={props.onToChat}
        />
      )}
    </div>
  )
}
