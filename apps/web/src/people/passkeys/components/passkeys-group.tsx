import type { Passkey } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { Button } from '../../../ui/button.tsx'
import { usePasskeys, useRemovePasskey } from '../api/passkeys.queries.ts'
import { passkeyAvailability } from '../state/availability.ts'
import { AddPasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx'

type Open = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey }

/** Your passkeys. `device`: the proposed name of a new one. `isNeeded`: your role requires one. */
export function PasskeysGroup(props: { device: string; isNeeded: boolean }) {
  const { t } = useTranslation('passkeys')
  const passkeys = usePasskeys()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const availability = passkeyAvailability()
  const add = (
    <Button
      disabledReason={availability === 'available' ? undefined : t(`unavailable.${availability}`)}
      onClick={() => setOpen({ kind: 'add' })}
    >
      {t('add')}
    </Button>
  )
  return (
    <Group title={t('title')} action={add}>
      <p className="muted">{t('lead')}</p>
      {props.isNeeded && <p role="status">{t('needed')}</p>}
      <LoadedRows
        query={passkeys}
        empty={t('empty')}
        docs={docsPlaces.passkeys}
        row={(passkey) => <PasskeyRow key={passkey.id} passkey={passkey} onOpen={setOpen} />}
      />
      {open?.kind === 'add' && <AddPasskeyDialog device={props.device} onClose={close} />}
      {open?.kind === 'rename' && <RenamePasskeyDialog passkey={open.passkey} onClose={close} />}
      {open?.kind === 'remove' && <RemovePasskeyDialog passkey={open.passkey} onClose={close} />}
    </Group>
  )
}

function PasskeyRow(props: { passkey: Passkey; onOpen: (open: Open) => void }) {
  const { t, i18n } = useTranslation('passkeys')
  const format = useFormat()
  const { passkey, onOpen } = props
  const { name, host, createdAt, lastUsedAt } = passkey
  const now = Date.now()
  const when = (at: number) => ({ when: relativeTime(at, { now, locale: i18n.language }) })
  const use = lastUsedAt === null ? t('neverUsed') : t('used', when(lastUsedAt))
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{name}</b>
        <p className="facts" title={format.fullMoment(createdAt)}>
          {[t('added', when(createdAt)), use].join(' · ')}
        </p>
        {host !== location.hostname && <p className="facts">{t('otherHost', { host })}</p>}
      </div>
      <Button aria-label={t('renameOf', { name })} onClick={() => onOpen({ kind: 'rename', passkey })}>
        {t('rename')}
      </Button>
      <Button aria-label={t('removeOf', { name })} onClick={() => onOpen({ kind: 'remove', passkey })}>
        {t('remove')}
      </Button>
    </li>
  )
}

function RemovePasskeyDialog(props: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation('passkeys')
  const remove = useRemovePasskey()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: props.passkey.name })}
      text={t('removeText')}
      action={remove.isPending ? t('removing') : t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.passkey.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
