import { Link } from '@tanstack/react-router'
import type { Turn } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { failurePlace } from '../../../page/docs/docs-places.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { ModelMenu } from '../../composer/components/model-menu.tsx'
import { Node } from './node.tsx'

/** Why a response ended early, and what you can do. The partial response stays above. */
export function FailureRow(props: { turn: Turn; isLatest: boolean }) {
  const { t } = useTranslation('threads')
  const { turn } = props
  const { failure } = turn
  if (failure === null) return null
  const model = turn.modelName ?? t('theModel')
  const title = t(`failure.${failure.code}.title`, { model })
  return (
    <div className="r">
      <Node>
        <Glyph state="error" />
      </Node>
      <section className="failure" aria-label={title}>
        <b>{title}</b>
        <p>
          {t(`failure.${failure.code}.text`, { model })} <LearnMore to={failurePlace(failure.code)} />
        </p>
        {failure.message !== '' && <p className="mono failure-detail">{failure.message}</p>}
        {props.isLatest && <FailureActions turn={turn} />}
      </section>
    </div>
  )
}

function FailureActions(props: { turn: Turn }) {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  const [busy, setBusy] = useState<'retry' | 'continue' | null>(null)
  const failure = props.turn.failure
  const wait = useSecondsUntil(failure?.retryAt ?? null)
  const format = useFormat()
  if (failure === null) return null
  const run = (mode: 'retry' | 'continue') => {
    setBusy(mode)
    void actions.retry(mode).finally(() => setBusy(null))
  }
  const primary = failure.actions[0]
  return (
    <div className="row-flex failure-acts">
      {failure.actions.map((action) => {
        const variant = action === primary ? ('primary' as const) : ('default' as const)
        if (action === 'retry' || action === 'continue') {
          return (
            <Button key={action} variant={variant} isLoading={busy === action} onClick={() => run(action)}>
              {action === 'continue'
                ? t('continue')
                : wait > 0
                  ? t('retryIn', { time: format.duration(wait * 1000) })
                  : t('retry')}
            </Button>
          )
        }
        if (action === 'switch-model') {
          return (
            <ModelMenu
              key={action}
              currentId={props.turn.modelId}
              onChoose={(modelId) => void actions.retry('retry', modelId ?? undefined)}
              trigger={<Button variant={variant}>{t('switchModel')}</Button>}
            />
          )
        }
        return (
          <Link key={action} className="btn" to="/settings/$section" params={{ section: 'models' }}>
            {t('openSettings')}
          </Link>
        )
      })}
    </div>
  )
}

/** Whole seconds until a time; 0 once it has passed. */
function useSecondsUntil(at: number | null): number {
  const [hasPassed, setHasPassed] = useState(false)
  const now = useNow(at === null || hasPassed ? null : 1000)
  const seconds = at === null ? 0 : Math.max(0, Math.ceil((at - now) / 1000))
  if (at !== null && seconds === 0 && !hasPassed) setHasPassed(true)
  return seconds
}
