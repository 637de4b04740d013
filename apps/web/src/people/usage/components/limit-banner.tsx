import type { QuotaState } from '@threadbox/sdk'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { store, useStored } from '../../../page/client/browser.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useAskForMore, useQuotas } from '../api/quotas.queries.ts'
import { isDismissed, nearLimits, withDismissed } from '../state/near-limits.ts'
import { useLimitWords } from './use-limit-words.ts'

const storageKey = 'threadbox-limit-notice'

/** Says once a month that little is left of a limit, until the person dismisses it. */
export function LimitBanner() {
  const dismissed = useStored(storageKey)
  const quotas = useQuotas().data
  const all = nearLimits(quotas?.quotas ?? [])
  const near = all.find((state) => !isDismissed(dismissed, state))
  if (near === undefined) return null
  const isAsked = quotas?.requests.some(({ quota }) => quota === near.quota) ?? false
  const dismiss = () => store(storageKey, withDismissed(dismissed, { all, state: near }))
  return <Banner state={near} isAsked={isAsked} onDismiss={dismiss} />
}

function Banner({ state, isAsked, onDismiss }: { state: QuotaState; isAsked: boolean; onDismiss: () => void }) {
  const { t } = useTranslation('usage')
  const words = useLimitWords()
  const format = useFormat()
  const ask = useAskForMore()
  const showError = useErrorToast()
  const { quota, used, limit, assigned, resetsAt } = state
  const maximum = limit ?? 0
  const isOwn = assigned === null || maximum < assigned
  const largest = words.largest(state)
  const values = {
    name: t(`limits.name.${quota}`),
    used: words.usedOf(quota, used, maximum),
    when: format.moment(resetsAt ?? 0, Date.now()),
  }
  return (
    <div className="banner">
      <Glyph state="pausing" />
      <p className="grow">
        <span role="status">
          <b>{t('limits.near', values)}</b>{' '}
          {resetsAt === null ? t('limits.nearKept', values) : t('limits.nearUsed', values)}{' '}
          {largest === '' ? '' : `${largest}.`}
        </span>
      </p>
      {!isOwn && (
        <Button
          size="sm"
          isDisabled={isAsked}
          isLoading={ask.isPending}
          onClick={() =>
            ask.mutate({ quota }, { onSuccess: () => showToast(t('limits.askedDone')), onError: showError })
          }
        >
          {isAsked ? t('limits.asked') : t('limits.ask')}
        </Button>
      )}
      <IconButton label={resetsAt === null ? t('limits.dismissKept') : t('limits.dismiss')} onClick={onDismiss}>
        <X className="i" size={16} />
      </IconButton>
    </div>
  )
}
