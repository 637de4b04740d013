import { type Terminal, ThreadboxError } from '@threadbox/sdk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useProblem } from '../../../page/parts/problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph, type GlyphState } from '../../../ui/glyph.tsx'
import type { LinkState } from '../state/link.logic.ts'

type Actions = { onWake: () => void; onReplace: () => void; isOpening: boolean }

/** One line below the screen if needed: why the terminal doesn’t respond, and what helps. */
export function TerminalStatus(props: { terminal: Terminal; link: LinkState } & Actions) {
  const { t } = useTranslation('terminal')
  const problemOf = useProblem()
  const { link } = props
  const status = link.status ?? props.terminal.status
  const exitCode = link.exitCode ?? props.terminal.exitCode
  if (status === 'ended' || status === 'lost') {
    const ended = exitCode === null || exitCode < 0 ? t('endedBySignal') : t('endedWith', { code: exitCode })
    return (
      <Line glyph={status === 'lost' ? 'error' : 'stopped'} text={status === 'lost' ? t('lost') : ended}>
        <Button size="sm" onClick={props.onReplace} isLoading={props.isOpening}>
          {t('open')}
        </Button>
      </Line>
    )
  }
  if (link.problem !== null) {
    const problem = problemOf(new ThreadboxError(link.problem))
    return (
      <Line glyph="error" text={`${problem.message} ${problem.remedy}`}>
        <Button size="sm" onClick={props.onWake}>
          {t('again')}
        </Button>
      </Line>
    )
  }
  if (link.connection === 'waiting') return <Line glyph="waking" text={t('reconnecting')} />
  if (status !== 'suspended') return null
  return (
    <Line glyph="suspended" text={t('suspended')}>
      <Button size="sm" onClick={props.onWake}>
        {t('wake')}
      </Button>
    </Line>
  )
}

function Line(props: { glyph: GlyphState; text: string; children?: ReactNode }) {
  return (
    <div className="term-status" role="status">
      <Glyph state={props.glyph} />
      <span className="grow">{props.text}</span>
      {props.children}
    </div>
  )
}
