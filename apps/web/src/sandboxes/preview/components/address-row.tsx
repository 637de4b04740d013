import { Camera, Monitor, RotateCw, Smartphone, Tablet } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { type FrameWidth, frameWidths, pathTyped } from '../state/preview-view.logic.ts'
import { glyphOfService, keyOfPort, type PreviewTarget } from '../state/targets.logic.ts'
import type { Frame } from '../state/use-frame.ts'

const widthIcons = { full: Monitor, tablet: Tablet, phone: Smartphone } as const

/** The address of the page, the state of the service, and the width of the view. */
export function AddressRow(props: {
  target: PreviewTarget
  frame: Frame
  path: string
  width: FrameWidth
  onPath: (path: string) => void
  onWidth: (width: FrameWidth) => void
  camera: RefObject<HTMLButtonElement | null>
  isShooting: boolean
  onShoot: () => void
}) {
  const { t } = useTranslation('preview')
  const { target, frame, path } = props
  const canLoad = target.status === 'running'
  const reloadTip = canLoad ? (frame.hasNavigated ? t('reloadMoved', { path }) : t('reload')) : t('reloadNeedsRunning')
  const noScreenshot =
    !canLoad || frame.page.path === null ? t('shot.needsPage') : frame.page.isLocked ? t('shot.locked') : undefined
  const host = frame.origin === null ? keyOfPort(target.port) : new URL(frame.origin).host
  return (
    <div className="addr-row">
      <Tooltip label={reloadTip}>
        <Button
          variant="ghost"
          className="btn--icon"
          aria-label={t('reload')}
          isDisabled={!canLoad}
          onClick={() => frame.open(path)}
        >
          <RotateCw className="i" size={15} />
        </Button>
      </Tooltip>
      <div className="addr">
        <span className="host trunc" title={frame.page.title === '' ? (frame.origin ?? undefined) : frame.page.title}>
          {host}
        </span>
        <PathField key={target.key} path={path} onPath={props.onPath} />
        <span role="status">
          <Pill state={glyphOfService(target.status)}>{t(`status.${target.status}`)}</Pill>
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div className="seg not-m" role="group" aria-label={t('width')}>
        {(Object.keys(frameWidths) as FrameWidth[]).map((name) => {
          const Icon = widthIcons[name]
          return (
            <Tooltip key={name} label={t(`widths.${name}`)}>
              <button
                type="button"
                aria-pressed={props.width === name}
                aria-label={t(`widths.${name}`)}
                onClick={() => props.onWidth(name)}
              >
                <Icon className="i" size={15} />
              </button>
            </Tooltip>
          )
        })}
      </div>
      <IconButton
        ref={props.camera}
        label={props.isShooting ? t('shot.cancel') : t('shot.take')}
        className={props.isShooting ? 'is-on' : undefined}
        aria-pressed={props.isShooting}
        disabledReason={noScreenshot}
        onClick={props.onShoot}
      >
        <Camera className="i" size={15} />
      </IconButton>
    </div>
  )
}

/** The path of the page, unless you are typing. Enter opens the typed path, Esc discards it. */
function PathField(props: { path: string; onPath: (path: string) => void }) {
  const { t } = useTranslation('preview')
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <form
      className="grow"
      onSubmit={(event) => {
        event.preventDefault()
        props.onPath(pathTyped(typed ?? props.path))
        setTyped(null)
      }}
    >
      <input
        value={typed ?? props.path}
        aria-label={t('path')}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        inputMode="url"
        onChange={(event) => setTyped(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => typed === props.path && setTyped(null)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || typed === null) return
          event.preventDefault()
          setTyped(null)
        }}
      />
    </form>
  )
}
