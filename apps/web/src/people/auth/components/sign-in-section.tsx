import type { SignInProvider } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { SectionHead } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useMe } from '../api/session.queries.ts'
import { useRemoveProvider, useSignInProviders, useTestProvider } from '../api/sign-in-providers.queries.ts'
import { ProviderDialog } from './provider-dialog.tsx'

/** For the owner: the providers with which people sign in. */
export function SignInSection() {
  const { t } = useTranslation('signIn')
  const me = useMe().data
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      {me?.role === 'owner' ? <ProviderList /> : me !== undefined && <p className="nothing">{t('ownerOnly')}</p>}
    </>
  )
}

function ProviderList() {
  const { t } = useTranslation('signIn')
  const providers = useSignInProviders()
  const [edited, setEdited] = useState<SignInProvider | 'new' | null>(null)
  const [removed, setRemoved] = useState<SignInProvider | null>(null)
  return (
    <>
      <LoadedRows
        query={providers}
        empty={t('empty')}
        docs={docsPlaces.signIn}
        row={(provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            onEdit={() => setEdited(provider)}
            onRemove={() => setRemoved(provider)}
          />
        )}
      />
      <div>
        <Button onClick={() => setEdited('new')}>{t('add')}</Button>
      </div>
      {edited !== null && (
        <ProviderDialog provider={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {removed !== null && <RemoveDialog provider={removed} onClose={() => setRemoved(null)} />}
    </>
  )
}

function ProviderRow(props: { provider: SignInProvider; onEdit: () => void; onRemove: () => void }) {
  const { t } = useTranslation('signIn')
  const { id, name, issuer, join, addresses } = props.provider
  const test = useTestProvider()
  const showError = useErrorToast()
  const run = () => test.mutate(id, { onSuccess: () => showToast(t('tested', { name })), onError: showError })
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{name}</b>
        <p className="facts">{issuer}</p>
        <p className="facts">{t(`rules.${join.rule}`)}</p>
        <p className="facts">{t('copy')}</p>
        <p className="facts">
          {t('callback')}: <code>{addresses.callback}</code>
        </p>
        <p className="facts">
          {t('logout')}: <code>{addresses.logout}</code>
        </p>
      </div>
      <Button aria-label={t('testOf', { name })} isLoading={test.isPending} onClick={run}>
        {t('test')}
      </Button>
      <Button aria-label={t('editOf', { name })} onClick={props.onEdit}>
        {t('edit')}
      </Button>
      <Button aria-label={t('removeOf', { name })} onClick={props.onRemove}>
        {t('remove')}
      </Button>
    </li>
  )
}

function RemoveDialog(props: { provider: SignInProvider; onClose: () => void }) {
  const { t } = useTranslation('signIn')
  const remove = useRemoveProvider()
  const { id, name } = props.provider
  return (
    <ConfirmDialog
      title={t('removeTitle', { name })}
      text={t('removeText')}
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
