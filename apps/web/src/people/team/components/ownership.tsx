import type { Person } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { useChangeOwnership, useOwnershipOffer } from '../api/leaving.queries.ts'
import { usePersonName } from '../api/people.queries.ts'

/** An open offer of ownership, for the owner and the other person. */
export function OwnershipNote() {
  const { t } = useTranslation('people')
  const format = useFormat()
  const me = useMe().data
  const offer = useOwnershipOffer().data
  const change = useChangeOwnership()
  const showError = useErrorToast()
  const name = usePersonName(offer?.personId) ?? ''
  if (offer === null || offer === undefined || me === undefined) return null
  const isMine = offer.personId === me.id
  const until = format.moment(offer.expiresAt, Date.now())
  const end = () => change.mutate({ kind: 'end' }, { onError: showError })
  const accept = () =>
    change.mutate(
      { kind: 'accept' },
      { onSuccess: () => showToast(t('leaving.ownership.accepted')), onError: showError },
    )
  return (
    <div className="dock-note" role="note">
      <span className="grow">
        {isMine ? t('leaving.ownership.offered', { until }) : t('leaving.ownership.pending', { name, until })}
      </span>
      {isMine && (
        <Button variant="primary" isLoading={change.isPending} onClick={accept}>
          {t('leaving.ownership.accept')}
        </Button>
      )}
      <Button isLoading={change.isPending} onClick={end}>
        {isMine ? t('leaving.ownership.decline') : t('leaving.ownership.withdraw')}
      </Button>
    </div>
  )
}

export function OfferOwnershipDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation('people')
  const change = useChangeOwnership()
  return (
    <ConfirmDialog
      title={t('leaving.ownership.offerTitle', { name: person.name })}
      text={t('leaving.ownership.offerText')}
      action={t('leaving.ownership.offerAction')}
      isPending={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ kind: 'offer', personId: person.id }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
