import type { Workspace, Workspaces } from '@threadbox/sdk'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { InheritedModelField } from '../../../people/models/components/inherited-model-field.tsx'
import { useUpdateWorkspace, useWorkspaceValues } from '../../../people/workspaces/api/workspaces.queries.ts'
import { limitNames } from '../../../sandboxes/sandbox/state/limits.logic.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextAreaField } from '../../../ui/text-area-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import {
  changeOf,
  formOf,
  isLimit,
  problemOf,
  textOf,
  type ValueName,
  type WorkspaceForm,
} from '../state/workspace-form.ts'

/** Name, instructions and the values that the threads of a workspace inherit, each with its source. */
export function WorkspaceSettingsDialog(props: { workspace: Workspace; onClose: () => void }) {
  const { t } = useTranslation(['workspaces', 'common', 'sandbox'])
  const { workspace, onClose } = props
  const [form, setForm] = useState(() => formOf(workspace))
  const update = useUpdateWorkspace(workspace.id)
  const installation = useWorkspaceValues()
  const formId = useId()
  const change = changeOf(workspace, form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (change === null || update.isPending) return
    update.mutate(change, {
      onSuccess: () => {
        showToast(t('sandbox:pane.saved'))
        onClose()
      },
    })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className="ws-settings"
      title={t('settingsTitle', { name: workspace.name })}
      description={t('settingsText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={change === null}
            isLoading={update.isPending}
          >
            {t('sandbox:pane.save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <TextFields form={form} onForm={setForm} />
        {installation !== undefined && <Values form={form} installation={installation} onForm={setForm} />}
        {update.error !== null && <FormProblem error={update.error} />}
      </form>
    </Dialog>
  )
}

function TextFields(props: { form: WorkspaceForm; onForm: (form: WorkspaceForm) => void }) {
  const { t } = useTranslation('workspaces')
  const { form, onForm } = props
  return (
    <>
      <Field label={t('name')}>
        {(control) => (
          <Input
            {...control}
            value={form.name}
            maxLength={80}
            autoComplete="off"
            onChange={(event) => onForm({ ...form, name: event.target.value })}
          />
        )}
      </Field>
      <TextAreaField
        label={t('instructions')}
        help={t('instructionsHelp')}
        value={form.instructions}
        maxLength={20_000}
        onValue={(instructions) => onForm({ ...form, instructions })}
      />
      <InheritedModelField
        label={t('model')}
        help={t('modelHelp')}
        inheritedLabel={t('modelOfInstallation')}
        modelId={form.modelId}
        onModel={(modelId) => onForm({ ...form, modelId })}
      />
    </>
  )
}

function Values(props: {
  form: WorkspaceForm
  installation: Workspaces['installation']
  onForm: (form: WorkspaceForm) => void
}) {
  const { t } = useTranslation(['workspaces', 'sandbox'])
  const { form, installation, onForm } = props
  const hotKeep = (value: 'guaranteed' | 'strict') => t(`sandbox:pane.hotKeepOf.${value}`)
  const row = (name: ValueName) => (
    <ValueRow
      key={name}
      name={name}
      text={form.values[name]}
      inherited={textOf(installation, name)}
      onText={(text) => onForm({ ...form, values: { ...form.values, [name]: text } })}
    />
  )
  return (
    <>
      <h3>{t('sandbox:pane.policy')}</h3>
      <div className="pane-policy">
        {row('idlePauseMinutes')}
        {row('hotHours')}
        <Row label={t('sandbox:pane.hotKeep')} isOwn={form.hotKeep !== null}>
          {(id) => (
            <Select
              id={id}
              value={form.hotKeep ?? 'inherited'}
              options={[
                { value: 'inherited', label: hotKeep(installation.policy.hotKeep) },
                { value: 'guaranteed', label: hotKeep('guaranteed') },
                { value: 'strict', label: hotKeep('strict') },
              ].filter(({ value }) => form.hotKeep !== null || value !== installation.policy.hotKeep)}
              onChange={(value) =>
                onForm({ ...form, hotKeep: value === 'inherited' ? null : (value as 'guaranteed' | 'strict') })
              }
            />
          )}
        </Row>
        {row('maxAwakeHours')}
        {row('retentionDays')}
        {row('maxServices')}
      </div>
      <h3>{t('sandbox:pane.limits')}</h3>
      <div className="pane-policy">{limitNames.map(row)}</div>
    </>
  )
}

const limitLabels = { memoryBytes: 'memory', cpus: 'cpus', processes: 'processCount', diskBytes: 'disk' } as const
const units = {
  idlePauseMinutes: 'minutes',
  hotHours: 'hours',
  maxAwakeHours: 'hours',
  retentionDays: 'days',
  maxServices: 'services',
} as const

function Row(props: { label: string; isOwn: boolean; children: (id: string) => ReactNode }) {
  const { t } = useTranslation(['workspaces', 'sandbox'])
  const id = useId()
  return (
    <div className="policy-row">
      <label htmlFor={id}>{props.label}</label>
      <div className="policy-value">{props.children(id)}</div>
      <span className="policy-source">
        <span className={props.isOwn ? 'badge badge--acc' : 'badge'}>
          {props.isOwn ? t('own') : t('sandbox:pane.installation')}
        </span>
      </span>
    </div>
  )
}

function ValueRow(props: { name: ValueName; text: string; inherited: string; onText: (text: string) => void }) {
  const { t } = useTranslation(['workspaces', 'sandbox'])
  const { name, text, inherited } = props
  const problem = problemOf(name, text)
  const problemId = useId()
  const isNever = name === 'retentionDays' && inherited === '0'
  return (
    <Row
      label={isLimit(name) ? t(`sandbox:pane.${limitLabels[name]}`) : t(`sandbox:pane.${name}`)}
      isOwn={text.trim() !== ''}
    >
      {(id) => (
        <>
          <Input
            id={id}
            className="num"
            autoComplete="off"
            value={text}
            placeholder={isNever ? t('sandbox:pane.never') : inherited}
            aria-invalid={problem !== undefined || undefined}
            aria-describedby={problem === undefined ? undefined : problemId}
            onChange={(event) => props.onText(event.target.value)}
          />
          {!isLimit(name) && <span className="faint">{t(`sandbox:pane.${units[name]}`)}</span>}
          {problem !== undefined && (
            <p className="help help--error" id={problemId} role="alert">
              {'minimum' in problem
                ? t('sandbox:pane.limitProblem', { minimum: problem.minimum, maximum: problem.maximum })
                : t('sandbox:pane.unreadable', { example: inherited })}
            </p>
          )}
        </>
      )}
    </Row>
  )
}
