import type { Thread } from '@threadbox/sdk'
import { Bot } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { openLayer } from '../../../page/client/layers.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { useAgentOffer, useCloseOffer } from '../api/agents.queries.ts'

/** Further names are shown as a number. */
const mostNames = 3

/** Offers once to save a thread as an agent, in the third thread that installs the same packages. */
export function SaveOffer(props: { thread: Thread }) {
  const { t } = useTranslation('agents')
  const format = useFormat()
  const { thread } = props
  const { data: packages = [] } = useAgentOffer(thread.id)
  const close = useCloseOffer(thread.id)
  const showError = useErrorToast()
  if (packages.length === 0) return null
  const shown = packages.slice(0, mostNames)
  const further = packages.length - shown.length
  const names = format.list(further === 0 ? shown : [...shown, t('offerFurther', { count: further })])
  const dismiss = () => close.mutate(undefined, { onError: showError })
  return (
    <section className="queue-box" aria-label={t('offerTitle')}>
      <div className="survive-line">
        <Bot className="i" size={16} aria-hidden="true" />
        <div className="grow" role="status">
          <b>{t('offerTitle')}</b>
          <p>{t('offerText', { names })}</p>
        </div>
        <Button
          onClick={() => {
            dismiss()
            openLayer({ kind: 'save-agent', thread })
          }}
        >
          {t('saveOpen')}
        </Button>
        <Button variant="ghost" onClick={dismiss}>
          {t('offerNo')}
        </Button>
      </div>
    </section>
  )
}
