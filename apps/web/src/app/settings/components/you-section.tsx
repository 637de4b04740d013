import type { Me } from '@threadbox/sdk'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { SectionHead } from '../../../page/parts/section.tsx'
import { useMe, useUpdateMe } from '../../../people/auth/api/session.queries.ts'
import { IdentitiesGroup } from '../../../people/auth/components/identities-group.tsx'
import { PasskeysGroup } from '../../../people/passkeys/components/passkeys-group.tsx'
import { OwnData } from '../../../people/team/components/own-data.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { deviceOf } from '../state/device-name.ts'
import { DeviceGroup } from './device-group.tsx'
import { PasswordGroup } from './password-group.tsx'
import { SessionsGroup } from './sessions-group.tsx'

export function YouSection() {
  const { t } = useTranslation('settings')
  const me = useMe()
  return (
    <>
      <SectionHead title={t('you.title')} lead={t('you.lead')} />
      <Loaded query={me}>{(person) => <NameForm key={person.id} me={person} />}</Loaded>
      <IdentitiesGroup />
      <PasswordGroup />
      <Passkeys needsPasskey={me.data?.needsPasskey === true} />
      <DeviceGroup />
      <SessionsGroup />
      <OwnData />
    </>
  )
}

/** A new passkey is named after this device, until its person names it. */
function Passkeys(props: { needsPasskey: boolean }) {
  const { t } = useTranslation('settings')
  const { browser, system } = deviceOf(navigator.userAgent)
  const device = browser === null || system === null ? '' : t('you.device', { browser, system })
  return <PasskeysGroup device={device} isNeeded={props.needsPasskey} />
}

function NameForm(props: { me: Me }) {
  const { t } = useTranslation(['settings', 'auth'])
  const update = useUpdateMe()
  const [name, setName] = useState(props.me.name)
  const isChanged = name.trim() !== props.me.name
  const isMissing = name.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMissing && isChanged) update.mutate({ name: name.trim() }, { onSuccess: () => showToast(t('saved')) })
  }
  return (
    <form className="settings-form" onSubmit={submit} noValidate>
      <Field label={t('you.name')} error={isMissing ? t('auth:problem.missing') : undefined}>
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={80}
            autoComplete="name"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('you.email')} help={props.me.isOwner ? t('you.owner') : t('you.emailHelp')}>
        {(control) => <Input {...control} value={props.me.email} readOnly />}
      </Field>
      {update.error !== null && <FormProblem error={update.error} />}
      <div>
        <Button type="submit" size="md" isDisabled={!isChanged || isMissing} isLoading={update.isPending}>
          {update.isPending ? t('saving') : t('save')}
        </Button>
      </div>
    </form>
  )
}
