import type { QuotaState } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useAskForMore, useQuotas, useUpdateOwnQuotas } from '../api/quotas.queries.ts'
import { fieldsOf, limitsOf } from '../state/limit-fields.ts'
import { warnShare } from '../state/near-limits.ts'
import { LimitsFormDialog } from './limits-form-dialog.tsx'
import { useLimitWords } from './use-limit-words.ts'

/** What this person has used of their limits. Hidden while there are none, as for the owner. */
export function OwnLimits() {
  const { t } = useTranslation('usage')
  const quotas = useQuotas().data
  const update = useUpdateOwnQuotas()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  if (quotas === undefined) return null
  const limited = quotas.quotas.filter(({ limit }) => limit !== null)
  const own = Object.fromEntries(quotas.quotas.map(({ quota, own }) => [quota, own]))
  const asked = new Set(quotas.requests.map(({ quota }) => quota))
  return (
    <Group title={t('limits.title')} action={<Button onClick={() => setIsOpen(true)}>{t('limits.setOwn')}</Button>}>
      {limited.length === 0 ? (
        <p className="nothing">{t('limits.none')}</p>
      ) : (
        <ul className="rows">
          {limited.map((state) => (
            <LimitRow key={state.quota} state={state} isAsked={asked.has(state.quota)} />
          ))}
        </ul>
      )}
      {isOpen && (
        <LimitsFormDialog
          title={t('limits.setOwn')}
          help={t('limits.ownHelp')}
          initial={fieldsOf(own)}
          isPending={update.isPending}
          error={update.error}
          onSave={(fields) => update.mutate(limitsOf(fields), { onSuccess: close })}
          onClose={close}
        />
      )}
    </Group>
  )
}

function LimitRow({ state, isAsked }: { state: QuotaState; isAsked: boolean }) {
  const { t } = useTranslation('usage')
  const words = useLimitWords()
  const format = useFormat()
  const ask = useAskForMore()
  const showError = useErrorToast()
  const { quota, used, limit, assigned, resetsAt } = state
  const maximum = limit ?? 0
  const isLow = used >= maximum * warnShare
  const isOwn = assigned === null || maximum < assigned
  const facts = [
    words.usedOf(quota, used, maximum),
    resetsAt === null ? '' : t('limits.resets', { when: format.moment(resetsAt, Date.now()) }),
    words.largest(state),
    isOwn ? t('limits.yourOwn') : '',
  ].filter((fact) => fact !== '')
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{t(`limits.name.${quota}`)}</b> {isLow && <span className="badge badge--warn">{t('limits.low')}</span>}
        <p className="facts">{facts.join(' · ')}</p>
        <Meter value={used} maximum={maximum} label={words.usedOf(quota, used, maximum)} />
      </div>
      {!isOwn && (
        <Button
          isDisabled={isAsked}
          isLoading={ask.isPending}
          onClick={() =>
            ask.mutate({ quota }, { onSuccess: () => showToast(t('limits.askedDone')), onError: showError })
          }
        >
          {isAsked ? t('limits.asked') : t('limits.ask')}
        </Button>
      )}
    </li>
  )
}
