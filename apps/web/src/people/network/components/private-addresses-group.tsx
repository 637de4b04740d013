import type { PrivateAddress } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { Button } from '../../../ui/button.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { usePrivateAddresses, useSetPrivateAddresses } from '../api/network.queries.ts'
import { isSameAddress } from '../state/private-address-form.ts'
import { PrivateAddressDialog } from './private-address-dialog.tsx'

/** The services in private networks that sandboxes can reach, in the settings of the owner. */
export function PrivateAddressesGroup() {
  const me = useMe()
  return me.data?.isOwner === true ? <OwnersGroup /> : null
}

function OwnersGroup() {
  const { t } = useTranslation('network')
  const addresses = usePrivateAddresses()
  const [open, setOpen] = useState<'add' | PrivateAddress | null>(null)
  const close = () => setOpen(null)
  return (
    <Group title={t('private.title')} action={<Button onClick={() => setOpen('add')}>{t('private.add')}</Button>}>
      <p className="facts">{t('private.lead')}</p>
      <LoadedRows
        query={addresses}
        empty={t('private.empty')}
        docs={docsPlaces.network}
        row={(address) => (
          <AddressRow
            key={`${address.name}:${address.port} ${address.range}`}
            address={address}
            onRemove={() => setOpen(address)}
          />
        )}
      />
      {open === 'add' && <PrivateAddressDialog onClose={close} />}
      {open !== null && open !== 'add' && <RemoveDialog address={open} onClose={close} />}
    </Group>
  )
}

function AddressRow(props: { address: PrivateAddress; onRemove: () => void }) {
  const { t } = useTranslation('network')
  const { name, port, range } = props.address
  return (
    <li className="row row-line">
      <div className="grow">
        <b className="mono">{`${name}:${port}`}</b>
        <p className="facts mono">{range}</p>
      </div>
      <Button aria-label={t('private.removeOf', { name: `${name}:${port}`, range })} onClick={props.onRemove}>
        {t('private.remove')}
      </Button>
    </li>
  )
}

function RemoveDialog(props: { address: PrivateAddress; onClose: () => void }) {
  const { t } = useTranslation('network')
  const save = useSetPrivateAddresses()
  const { address, onClose } = props
  const remove = () =>
    save.mutate((present) => present.filter((each) => !isSameAddress(each, address)), { onSuccess: onClose })
  return (
    <ConfirmDialog
      title={t('private.removeTitle', { name: `${address.name}:${address.port}` })}
      text={t('private.removeText')}
      action={t('private.remove')}
      isPending={save.isPending}
      error={save.error}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
