import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Glyph } from '../../../ui/glyph.tsx'
import { Select } from '../../../ui/select.tsx'
import { glyphOfService, keyOfPort, type PreviewTarget } from '../state/targets.logic.ts'

/** One tab per service; on a phone one select. */
export function ServiceTabs(props: {
  targets: readonly PreviewTarget[]
  chosen: PreviewTarget
  isSheet: boolean
  panelId: string
  onChoose: (key: string) => void
}) {
  const { t } = useTranslation('preview')
  const { targets, chosen, onChoose } = props
  if (props.isSheet) {
    return (
      <div className="tab-select">
        <Glyph state={glyphOfService(chosen.status)} />
        <Select
          label={t('services')}
          value={chosen.key}
          options={targets.map((target) => ({ value: target.key, label: labelOf(target) }))}
          onChange={onChoose}
        />
      </div>
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = targets.indexOf(chosen)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: targets.length - 1 }[event.key]
    const next = to === undefined ? undefined : targets[(to + targets.length) % targets.length]
    if (next === undefined) return
    event.preventDefault()
    onChoose(next.key)
    const tabs = event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')
    tabs[targets.indexOf(next)]?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={t('services')} onKeyDown={onKeyDown}>
      {targets.map((target) => (
        <button
          key={target.key}
          type="button"
          role="tab"
          className="tab"
          aria-selected={target.key === chosen.key}
          aria-controls={target.key === chosen.key ? props.panelId : undefined}
          tabIndex={target.key === chosen.key ? 0 : -1}
          title={`${labelOf(target)} — ${t(`status.${target.status}`)}`}
          onClick={() => onChoose(target.key)}
        >
          <Glyph state={glyphOfService(target.status)} />
          {target.name !== '' && <span className="trunc">{target.name}</span>}
          <span className="port">{keyOfPort(target.port)}</span>
          <span className="sr">{t(`status.${target.status}`)}</span>
        </button>
      ))}
    </div>
  )
}

function labelOf(target: PreviewTarget): string {
  return `${target.name} ${keyOfPort(target.port)}`.trim()
}
