import { Link } from '@tanstack/react-router'
import type { ImportedAgent } from '@threadbox/sdk'
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
import { showToast } from '../../../ui/toast.tsx'
import { useImportAgent } from '../api/agents.queries.ts'

/** A select can’t have an empty value. */
const ownPlace = 'own'

/** Imports an agent from a file of another installation, and lists what isn’t available here. */
export function ImportAgentDialog(props: { file: File; onClose: () => void }) {
  const { t } = useTranslation(['agents', 'common'])
  const format = useFormat()
  const { file, onClose } = props
  const [place, setPlace] = useState(ownPlace)
  const [done, setDone] = useState<ImportedAgent | null>(null)
  const { importAgent, sentBytes, abort } = useImportAgent()
  const formId = useId()
  // Closing the dialog or leaving the page cancels the import.
  useEffect(() => abort, [abort])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (importAgent.isPending) return
    importAgent.mutate(
      { file, workspaceId: place === ownPlace ? null : place },
      {
        onSuccess: (imported) => {
          showToast(t('imported', { name: imported.agent.name }))
          if (imported.needs.length === 0) onClose()
          else setDone(imported)
        },
      },
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={done === null ? t('importTitle') : t('importedTitle', { name: done.agent.name })}
      description={done === null ? t('importText') : t('importedText')}
      closeLabel={t('common:close')}
      footer={
        done === null ? (
          <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
            <Button size="md" type="submit" form={formId} variant="primary" isLoading={importAgent.isPending}>
              {t('import')}
            </Button>
          </DialogActions>
        ) : (
          <>
            <span className="grow" />
            <Button size="md" onClick={onClose}>
              {t('done')}
            </Button>
          </>
        )
      }
    >
      {done === null ? (
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
      ) : (
        <Needs needs={done.needs} onClose={onClose} />
      )}
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

function Needs(props: { needs: ImportedAgent['needs']; onClose: () => void }) {
  const { t } = useTranslation('agents')
  return (
    <ul className="rows">
      {props.needs.map(({ kind, name, url }) => (
        <li key={`${kind} ${name} ${url}`} className="row row-line">
          <div className="grow">
            <b>{name}</b>
            <p className="facts">{t(`needs.${kind}`)}</p>
            {url !== null && <p className="facts mono">{url}</p>}
          </div>
          {kind === 'connection' && (
            <Link className="btn" to="/settings/$section" params={{ section: 'connections' }} onClick={props.onClose}>
              {t('connect')}
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}
