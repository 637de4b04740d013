import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { Select } from '../../../ui/select.tsx'
import { useImportAgent } from '../api/agents.queries.ts'

/** A select can’t have an empty value. */
const ownPlace = 'own'

/** Imports an agent file of another installation as a draft, and opens its review. */
export function ImportAgentDialog(props: { file: File; onClose: () => void }) {
  const { t } = useTranslation(['agents', 'common'])
  const format = useFormat()
  const { file, onClose } = props
  const [place, setPlace] = useState(ownPlace)
  const { importAgent, sentBytes, abort } = useImportAgent()
  const formId = useId()
  const navigate = useNavigate()
  // Closing the dialog or leaving the page cancels the import.
  useEffect(() => abort, [abort])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (importAgent.isPending) return
    importAgent.mutate(
      { file, workspaceId: place === ownPlace ? null : place },
      {
        onSuccess: ({ id }) => {
          onClose()
          void navigate({ to: '/agent-drafts/$draftId', params: { draftId: id } })
        },
      },
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('importTitle')}
      description={t('importText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button size="md" type="submit" form={formId} variant="primary" isLoading={importAgent.isPending}>
            {t('import')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <p className="facts">
          {file.name} · {format.bytes(file.size)}
        </p>
        <PlaceField place={place} onPlace={setPlace} />
        {importAgent.isPending && (
          <div role="status">
            <p className="help">{sentBytes < file.size ? t('sending') : t('unpacking')}</p>
            <Meter value={sentBytes} maximum={file.size} label={t('sending')} />
          </div>
        )}
        {importAgent.error !== null && <FormProblem error={importAgent.error} title={t('importFailed')} />}
      </form>
    </Dialog>
  )
}

function PlaceField(props: { place: string; onPlace: (place: string) => void }) {
  const { t } = useTranslation('agents')
  const workspaces = useWorkspaces()
  if (workspaces.length === 0) return null
  return (
    <Field label={t('importInto')}>
      {({ id }) => (
        <Select
          id={id}
          value={props.place}
          options={[
            { value: ownPlace, label: t('forMe') },
            ...workspaces.map(({ id: value, name }) => ({ value, label: name })),
          ]}
          onChange={props.onPlace}
        />
      )}
    </Field>
  )
}
