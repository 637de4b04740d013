import { MessageSquarePlus } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isImeEvent } from '../../../page/client/keyboard.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import type { Region } from '../../../preview-bridge/messages.ts'
import { Button } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { showErrorToast } from '../../../ui/toast.tsx'
import { afterKey, handles, placeOfAsk } from '../state/region.logic.ts'
import { type TakenScreenshot, takeScreenshot } from '../state/take-screenshot.ts'
import type { PreviewTarget } from '../state/targets.logic.ts'
import type { Frame } from '../state/use-frame.ts'
import { useRegion } from '../state/use-region.ts'

/** The largest size of Cancel and Ask in any language. */
const askSize = { width: 224, height: 48 }

/** Covers a page while a region is selected. Ask takes the screenshot. */
export function ScreenshotMode(props: {
  target: PreviewTarget
  frame: Frame
  /** Aborted when the user cancels. No screenshot is attached after that. */
  canceled: AbortSignal
  onCancel: () => void
  onTaken: (taken: TakenScreenshot) => void
}) {
  const { t } = useTranslation('preview')
  const { target, frame, onCancel } = props
  const box = useRef<HTMLDivElement>(null)
  const chosen = useRef<HTMLDivElement>(null)
  const [isTaking, setIsTaking] = useState(false)
  const { place, region, setRegion, pageRegion, pointer } = useRegion({
    box,
    frame: frame.element,
    bridge: frame.bridge,
  })
  useCancelKey(box, onCancel)
  useFocusOnEntry(chosen, region !== null)

  const left = useLeft()
  const ask = useStable(() => {
    if (pageRegion === null || isTaking) return
    setIsTaking(true)
    const signal = AbortSignal.any([props.canceled, left()])
    takeScreenshot({ bridge: frame.bridge, target, region: pageRegion, scale: devicePixelRatio, signal }).then(
      (taken) => !signal.aborted && props.onTaken(taken),
      () => {
        if (signal.aborted) return
        setIsTaking(false)
        showErrorToast(t('shot.failed'), { id: 'error-screenshot', description: t('shot.failedText') })
      },
    )
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (region === null || place === null || isImeEvent(event.nativeEvent)) return
    const next = afterKey(region, event, place.area)
    if (next === null && event.key !== 'Enter') return
    event.preventDefault()
    if (next === null) ask()
    else setRegion(next)
  }
  const size = { width: pageRegion?.width ?? 0, height: pageRegion?.height ?? 0 }
  return (
    <div className="shade" ref={box} {...(isTaking ? {} : pointer)}>
      {region !== null && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <div
          ref={chosen}
          className="region"
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrows move and resize it
          tabIndex={0}
          aria-label={t('shot.region', size)}
          aria-describedby="screenshot-keys"
          style={{ left: region.x, top: region.y, width: region.width, height: region.height }}
          onKeyDown={onKeyDown}
        >
          <span className="size" aria-hidden="true" data-side={region.y < 34 ? 'inside' : 'above'}>
            {t('shot.size', size)}
          </span>
          {handles.map((handle, index) => (
            <i
              key={`${handle.x} ${handle.y}`}
              className="hd"
              data-handle={index}
              style={{ left: `${handle.x * 100}%`, top: `${handle.y * 100}%` }}
            />
          ))}
        </div>
      )}
      {place !== null && region !== null && (
        <div className="ask" style={styleOfAsk(region, place.box)} onPointerDown={(event) => event.stopPropagation()}>
          <Button variant="ghost" onClick={onCancel}>
            {t('shot.stop')}
          </Button>
          <Button
            variant="primary"
            icon={<MessageSquarePlus className="i" size={15} />}
            isLoading={isTaking}
            onClick={ask}
          >
            {isTaking ? t('shot.asking') : t('shot.ask')}
            <Kbd>{'↵'}</Kbd>
          </Button>
        </div>
      )}
      <span className="sr" role="status">
        {pageRegion !== null && t('shot.region', size)}
      </span>
      <KeyBar />
    </div>
  )
}

/** Aligned to the right edge of the region, whatever the width of the labels. */
function styleOfAsk(region: Region, box: { width: number; height: number }) {
  const { x, y } = placeOfAsk(region, { box, ask: askSize })
  return { right: box.width - x - askSize.width, top: y }
}

function KeyBar() {
  const { t } = useTranslation('preview')
  return (
    <div className="modebar" id="screenshot-keys">
      <span>{t('shot.drag')}</span>
      <span>
        {['←', '↑', '→', '↓'].map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
        {t('shot.move')}
      </span>
      <span>
        <Kbd>{'⇧'}</Kbd>
        {t('shot.resize')}
      </span>
      <span>
        <Kbd>{'Esc'}</Kbd>
        {t('shot.escape')}
      </span>
    </div>
  )
}

/** Aborted on unmount, which can happen without a cancel: the page or its pane was closed. */
function useLeft(): () => AbortSignal {
  const left = useRef(new AbortController())
  useLayoutEffect(() => {
    left.current = new AbortController()
    return () => left.current.abort()
  }, [])
  return () => left.current.signal
}

function useFocusOnEntry(element: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    if (isShown) element.current?.focus({ preventScroll: true })
  }, [isShown, element])
}

/** Esc cancels from any focus, before it stops a response or closes a sheet, and after any layer above. */
function useCancelKey(box: RefObject<HTMLElement | null>, onCancel: () => void): void {
  const cancel = useStable(onCancel)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || isImeEvent(event)) return
      const layers = [...document.querySelectorAll('[role=dialog],[role=menu],[role=listbox]')]
      if (layers.some((layer) => !layer.contains(box.current))) return
      event.preventDefault()
      event.stopPropagation()
      cancel()
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [box, cancel])
}
