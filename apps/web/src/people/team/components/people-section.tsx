import type { Invite, Me, Person } from '@threadbox/sdk'
import { ArrowRightLeft, Crown, Ellipsis, KeyRound, Trash2, UserCheck, UserX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { Loaded, LoadedRows } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { SectionActions } from '../../../page/parts/section-actions.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { useCreateResetLink, useInvites, usePeople, useRevokeInvite, useUpdatePerson } from '../api/people.queries.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { EraseDialog, HandOverDialog } from './leaving-dialogs.tsx'
import { LinkOnce } from './link-once.tsx'
import { OfferOwnershipDialog, OwnershipNote } from './ownership.tsx'

type OpenDialog =
  | { kind: 'invite' }
  | { kind: 'disable' | 'hand-over' | 'erase' | 'offer'; person: Person }
  | { kind: 'link'; person: Person; path: string; until: number }

/** Everyone here, with what this person can do with them, and the open invites. */
export function PeopleSection() {
  const { t } = useTranslation('people')
  const me = useMe().data
  const people = usePeople()
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const isAdministrator = me !== undefined && me.role !== 'member'
  const close = () => setOpen(null)
  return (
    <>
      <SectionHead title={t('title')} lead={isAdministrator ? t('lead') : t('leadMember')} />
      {isAdministrator && <SectionActions addLabel={t('invite.create')} onAdd={() => setOpen({ kind: 'invite' })} />}
      <OwnershipNote />
      <Loaded query={people}>
        {(list) => (
          <ul className="rows">
            {list.map((person) => (
              <PersonRow key={person.id} person={person} me={me} onOpen={setOpen} />
            ))}
          </ul>
        )}
      </Loaded>
      {isAdministrator && <InvitesGroup />}
      {open?.kind === 'invite' && <InviteDialog canInviteAdmins={me?.role === 'owner'} onClose={close} />}
      {open?.kind === 'disable' && <DisableDialog person={open.person} onClose={close} />}
      {open?.kind === 'hand-over' && <HandOverDialog person={open.person} onClose={close} />}
      {open?.kind === 'erase' && <ErasePerson person={open.person} onClose={close} />}
      {open?.kind === 'offer' && <OfferOwnershipDialog person={open.person} onClose={close} />}
      {open?.kind === 'link' && <ResetLink {...open} onClose={close} />}
    </>
  )
}

/** Whether this person can change that one: the same rule as the server’s. */
function canManage(me: Me | undefined, person: Person): boolean {
  if (me?.role === 'owner') return person.role !== 'owner'
  return me?.role === 'admin' && person.role === 'member'
}

function PersonRow(props: { person: Person; me: Me | undefined; onOpen: (open: OpenDialog) => void }) {
  const { t } = useTranslation('people')
  const { person, me } = props
  const isManaged = canManage(me, person)
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{person.name}</b> {person.id === me?.id && <span className="badge badge--acc">{t('you')}</span>}{' '}
        {person.isDisabled && (
          <span className="badge">{person.isBeingErased ? t('leaving.beingErased') : t('disabled')}</span>
        )}
        {person.email !== null && <p className="facts">{person.email}</p>}
      </div>
      {isManaged && me?.role === 'owner' ? <RoleSelect person={person} /> : <span>{t(`role.${person.role}`)}</span>}
      {isManaged && !person.isBeingErased && (
        <PersonMenu person={person} isByOwner={me?.role === 'owner'} onOpen={props.onOpen} />
      )}
    </li>
  )
}

function RoleSelect({ person }: { person: Person }) {
  const { t } = useTranslation('people')
  const update = useUpdatePerson()
  const showError = useErrorToast()
  return (
    <Select
      label={t('roleOf', { name: person.name })}
      value={person.role === 'admin' ? 'admin' : 'member'}
      isDisabled={update.isPending}
      options={(['member', 'admin'] as const).map((value) => ({ value, label: t(`role.${value}`) }))}
      onChange={(role) =>
        update.mutate({ id: person.id, role }, { onSuccess: () => showToast(t('changed')), onError: showError })
      }
    />
  )
}

function PersonMenu(props: { person: Person; isByOwner: boolean; onOpen: (open: OpenDialog) => void }) {
  const { t } = useTranslation('people')
  const update = useUpdatePerson()
  const createLink = useCreateResetLink()
  const showError = useErrorToast()
  const { person, onOpen } = props
  const askLink = () =>
    createLink.mutate(person.id, {
      onSuccess: ({ path, expiresAt }) => onOpen({ kind: 'link', person, path, until: expiresAt }),
      onError: showError,
    })
  const enable = () =>
    update.mutate(
      { id: person.id, isDisabled: false },
      { onSuccess: () => showToast(t('changed')), onError: showError },
    )
  return (
    <Menu
      align="end"
      label={person.name}
      trigger={
        <IconButton label={t('more', { name: person.name })}>
          <Ellipsis className="i" size={16} />
        </IconButton>
      }
    >
      {!person.isDisabled && (
        <MenuItem icon={<KeyRound className="i" size={14} />} onSelect={askLink}>
          {t('resetLink')}
        </MenuItem>
      )}
      {!person.isDisabled && props.isByOwner && (
        <MenuItem icon={<Crown className="i" size={14} />} onSelect={() => onOpen({ kind: 'offer', person })}>
          {t('leaving.ownership.offer')}
        </MenuItem>
      )}
      {person.isDisabled ? (
        <>
          <MenuItem icon={<UserCheck className="i" size={14} />} onSelect={enable}>
            {t('enable')}
          </MenuItem>
          <MenuItem
            icon={<ArrowRightLeft className="i" size={14} />}
            onSelect={() => onOpen({ kind: 'hand-over', person })}
          >
            {t('leaving.handOver')}
          </MenuItem>
          <MenuItem
            isDanger
            icon={<Trash2 className="i" size={14} />}
            onSelect={() => onOpen({ kind: 'erase', person })}
          >
            {t('leaving.erase')}
          </MenuItem>
        </>
      ) : (
        <MenuItem
          isDanger
          icon={<UserX className="i" size={14} />}
          onSelect={() => onOpen({ kind: 'disable', person })}
        >
          {t('disable')}
        </MenuItem>
      )}
    </Menu>
  )
}

function ErasePerson(props: { person: Person; onClose: () => void }) {
  const { t } = useTranslation('people')
  const erased = () => {
    showToast(t('leaving.eraseStarted'))
    props.onClose()
  }
  return <EraseDialog {...props} onErased={erased} />
}

function DisableDialog(props: { person: Person; onClose: () => void }) {
  const { t } = useTranslation('people')
  const update = useUpdatePerson()
  const { person, onClose } = props
  return (
    <ConfirmDialog
      title={t('disableTitle', { name: person.name })}
      text={t('disableText')}
      action={t('disable')}
      isPending={update.isPending}
      error={update.error}
      onConfirm={() => update.mutate({ id: person.id, isDisabled: true }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

function ResetLink(props: { person: Person; path: string; until: number; onClose: () => void }) {
  const { t } = useTranslation('people')
  const format = useFormat()
  const { person, path, until, onClose } = props
  const text = t('resetLinkText', { name: person.name, until: format.moment(until, Date.now()) })
  return <LinkOnce title={t('resetLinkTitle')} text={text} path={path} onClose={onClose} />
}

function InvitesGroup() {
  const { t } = useTranslation('people')
  const invites = useInvites()
  return (
    <Group title={t('invite.title')}>
      <LoadedRows
        query={invites}
        empty={t('invite.empty')}
        docs={docsPlaces.people}
        row={(invite) => <InviteRow key={invite.id} invite={invite} />}
      />
    </Group>
  )
}

function InviteRow({ invite }: { invite: Invite }) {
  const { t, i18n } = useTranslation('people')
  const revoke = useRevokeInvite()
  const showError = useErrorToast()
  const who = invite.email ?? t('invite.anyone')
  const when = relativeTime(invite.expiresAt, { now: Date.now(), locale: i18n.language })
  const facts = [
    t(`role.${invite.role}`),
    t('invite.usesLeft', { count: invite.usesLeft }),
    t('invite.expiresAt', { when }),
  ]
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{who}</b>
        <p className="facts">{facts.join(' · ')}</p>
      </div>
      <Button
        isLoading={revoke.isPending}
        aria-label={t('invite.revokeOf', { who })}
        onClick={() => revoke.mutate(invite.id, { onError: showError })}
      >
        {t('invite.revoke')}
      </Button>
    </li>
  )
}
