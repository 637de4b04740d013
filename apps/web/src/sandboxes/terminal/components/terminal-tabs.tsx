import type { Terminal } from '@threadbox/sdk'
import { SquareTerminal } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Glyph } from '../../../ui/glyph.tsx'
import { Select } from '../../../ui/select.tsx'

const glyphs = { suspended: 'suspended', ended: 'stopped', lost: 'error' } as const

/** One tab per terminal; on a phone one select. */
export function TerminalTabs(props: {
  terminals: readonly Terminal[]
  chosen: Terminal
  isSheet: boolean
  panelId: string
  onChoose: (id: string, options: { isAsked: boolean }) => void
}) {
  const { t } = useTranslation('terminal')
  const { terminals, chosen, onChoose } = props
  if (props.isSheet) {
    return (
      <div className="tab-select">
        <Select
          label={t('terminals')}
          value={chosen.id}
          options={terminals.map(({ id, title }) => ({ value: id, label: title }))}
          onChange={(id) => onChoose(id, { isAsked: false })}
        />
      </div>
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = terminals.indexOf(chosen)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: terminals.length - 1 }[event.key]
    const next = to === undefined ? undefined : terminals[(to + terminals.length) % terminals.length]
    if (next === undefined) return
    event.preventDefault()
    onChoose(next.id, { isAsked: false })
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[terminals.indexOf(next)]?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={t('terminals')} onKeyDown={onKeyDown}>
      {terminals.map((terminal) => (
        <Tab
          key={terminal.id}
          terminal={terminal}
          isChosen={terminal === chosen}
          panelId={props.panelId}
          onChoose={() => onChoose(terminal.id, { isAsked: true })}
        />
      ))}
    </div>
  )
}

function Tab(props: { terminal: Terminal; isChosen: boolean; panelId: string; onChoose: () => void }) {
  const { t } = useTranslation('terminal')
  const { terminal, isChosen } = props
  const { status, title } = terminal
  return (
    <button
      type="button"
      role="tab"
      className="tab"
      aria-selected={isChosen}
      aria-controls={isChosen ? props.panelId : undefined}
      tabIndex={isChosen ? 0 : -1}
      title={`${title} — ${t(`status.${status}`)}`}
      onClick={props.onChoose}
    >
      {status === 'running' ? <SquareTerminal className="i" size={14} /> : <Glyph state={glyphs[status]} />}
      <span className="trunc">{title}</span>
      {status !== 'running' && <span className="sr">{t(`status.${status}`)}</span>}
    </button>
  )
}
