import type { Person, QuotaPreset, QuotaRequest } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { Loaded, LoadedRows } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { usePeople, usePersonName } from '../../team/api/people.queries.ts'
import {
  useDecideQuotaRequest,
  useQuotaPresets,
  useQuotaRequests,
  useRemovePreset,
  useSavePreset,
} from '../api/quotas.queries.ts'
import { fieldsOf, limitsOf, quotaNames } from '../state/limit-fields.ts'
import { GrantDialog } from './grant-dialog.tsx'
import { LimitsFormDialog } from './limits-form-dialog.tsx'
import { PersonLimitsDialog } from './person-limits-dialog.tsx'
import { useLimitWords } from './use-limit-words.ts'

/** For the owner and admins: who asks for more, sets of limits, and the limits of each person. */
export function PeopleLimits() {
  const me = useMe().data
  if (me === undefined || me.role === 'member') return null
  return (
    <>
      <RequestsGroup />
      <PresetsGroup />
      <PersonsGroup ownRole={me.role} />
    </>
  )
}

/** Hidden without requests. */
function RequestsGroup() {
  const { t } = useTranslation('usage')
  const requests = useQuotaRequests().data ?? []
  const [granted, setGranted] = useState<QuotaRequest | null>(null)
  if (requests.length === 0) return null
  return (
    <Group title={t('limits.requests')}>
      <ul className="rows">
        {requests.map((request) => (
          <RequestRow key={request.id} request={request} onGrant={() => setGranted(request)} />
        ))}
      </ul>
      {granted !== null && <GrantDialog request={granted} onClose={() => setGranted(null)} />}
    </Group>
  )
}

function RequestRow({ request, onGrant }: { request: QuotaRequest; onGrant: () => void }) {
  const { t } = useTranslation('usage')
  const name = usePersonName(request.userId) ?? t('former')
  const decide = useDecideQuotaRequest()
  const showError = useErrorToast()
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{name}</b>
        <p className="facts">{t(`limits.name.${request.quota}`)}</p>
        {request.note !== '' && <p className="facts">{request.note}</p>}
      </div>
      <Button
        aria-label={t('limits.refuseOf', { name })}
        isLoading={decide.isPending}
        onClick={() => decide.mutate({ id: request.id }, { onError: showError })}
      >
        {t('limits.refuse')}
      </Button>
      <Button aria-label={t('limits.grantOf', { name })} onClick={onGrant}>
        {t('limits.grant')}
      </Button>
    </li>
  )
}

function PresetsGroup() {
  const { t } = useTranslation('usage')
  const presets = useQuotaPresets()
  const [edited, setEdited] = useState<QuotaPreset | 'new' | null>(null)
  const [removed, setRemoved] = useState<QuotaPreset | null>(null)
  return (
    <Group
      title={t('limits.presets')}
      action={<Button onClick={() => setEdited('new')}>{t('limits.addPreset')}</Button>}
    >
      <LoadedRows
        query={presets}
        empty=""
        docs={docsPlaces.people}
        row={(preset) => (
          <PresetRow
            key={preset.id}
            preset={preset}
            onEdit={() => setEdited(preset)}
            onRemove={() => setRemoved(preset)}
          />
        )}
      />
      {edited !== null && <PresetDialog preset={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {removed !== null && <RemovePresetDialog preset={removed} onClose={() => setRemoved(null)} />}
    </Group>
  )
}

function PresetRow(props: { preset: QuotaPreset; onEdit: () => void; onRemove: () => void }) {
  const { t } = useTranslation('usage')
  const words = useLimitWords()
  const { name, limits, isDefault } = props.preset
  const facts = quotaNames.map((quota) => `${t(`limits.name.${quota}`)}: ${words.limit(quota, limits[quota])}`)
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{name}</b> {isDefault && <span className="badge">{t('limits.default')}</span>}
        <p className="facts">{facts.join(' · ')}</p>
      </div>
      {!isDefault && (
        <Button aria-label={t('limits.removeOf', { name })} onClick={props.onRemove}>
          {t('limits.remove')}
        </Button>
      )}
      <Button aria-label={t('limits.editOf', { name })} onClick={props.onEdit}>
        {t('limits.edit')}
      </Button>
    </li>
  )
}

function PresetDialog({ preset, onClose }: { preset: QuotaPreset | null; onClose: () => void }) {
  const { t } = useTranslation('usage')
  const save = useSavePreset()
  const [name, setName] = useState(preset?.name ?? '')
  return (
    <LimitsFormDialog
      title={preset === null ? t('limits.addPreset') : t('limits.editOf', { name: preset.name })}
      help={t('limits.emptyHelp')}
      initial={fieldsOf(preset?.limits ?? {})}
      isComplete={name.trim() !== ''}
      above={
        <Field label={t('limits.presetName')}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={80}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      }
      isPending={save.isPending}
      error={save.error}
      onSave={(fields) =>
        save.mutate({ id: preset?.id ?? null, name: name.trim(), limits: limitsOf(fields) }, { onSuccess: onClose })
      }
      onClose={onClose}
    />
  )
}

function RemovePresetDialog({ preset, onClose }: { preset: QuotaPreset; onClose: () => void }) {
  const { t } = useTranslation('usage')
  const remove = useRemovePreset()
  return (
    <ConfirmDialog
      title={t('limits.removeTitle', { name: preset.name })}
      text={t('limits.removeText')}
      action={t('limits.remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(preset.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

/** Those that this person manages: members, and for the owner also admins. */
function PersonsGroup({ ownRole }: { ownRole: Person['role'] }) {
  const { t } = useTranslation('usage')
  const people = usePeople()
  const [edited, setEdited] = useState<Person | null>(null)
  return (
    <Group title={t('limits.people')}>
      <Loaded query={people}>
        {(list) => {
          const managed = list.filter(({ role }) => role === 'member' || (ownRole === 'owner' && role === 'admin'))
          if (managed.length === 0) return <p className="nothing">{t('limits.nobody')}</p>
          return (
            <ul className="rows">
              {managed.map((person) => (
                <li key={person.id} className="row row-line">
                  <b className="grow">{person.name}</b>
                  <Button aria-label={t('limits.editOf', { name: person.name })} onClick={() => setEdited(person)}>
                    {t('limits.edit')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
      {edited !== null && <PersonLimitsDialog person={edited} onClose={() => setEdited(null)} />}
    </Group>
  )
}
