import type { Secret } from '@threadbox/sdk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { type SecretField, type SecretForm, type SecretProblems, shownPositions } from '../state/secret-form.ts'

type FieldsProps = {
  form: SecretForm
  saved: Secret | null
  problems: SecretProblems
  onChange: (part: Partial<SecretForm>) => void
}

export function SecretFields(props: FieldsProps) {
  const { t } = useTranslation('secrets')
  const { form, saved, onChange } = props
  const errorOf = useErrorOf(props)
  return (
    <>
      <TextField
        label={t('dialog.name')}
        help={t('dialog.nameHelp')}
        error={errorOf('name')}
        value={form.name}
        onChange={(name) => onChange({ name: name.toUpperCase() })}
      />
      <PasswordField
        label={t('dialog.value')}
        help={saved === null ? t('dialog.valueHelp') : t('dialog.valueStored')}
        error={errorOf('value')}
        value={form.value}
        autoComplete="off"
        onChange={(value) => onChange({ value })}
      />
      <Field label={t('dialog.hosts')} help={t('dialog.hostsHelp')} error={errorOf('hosts')}>
        {(control) => (
          <textarea
            {...control}
            className="input mono"
            rows={2}
            value={form.hosts}
            spellCheck={false}
            onChange={(event) => onChange({ hosts: event.target.value })}
          />
        )}
      </Field>
      {saved === null && <OwnerField {...props} />}
      <Checks legend={t('dialog.positions')} error={errorOf('positions')}>
        {shownPositions.map((position) => (
          <Check
            key={position}
            label={t(`dialog.position.${position}`)}
            isOn={form.positions.includes(position)}
            onChange={(isOn) =>
              onChange({
                positions: shownPositions.filter((one) => (one === position ? isOn : form.positions.includes(one))),
              })
            }
          />
        ))}
      </Checks>
      <Rules {...props} />
      <WorkspacesField {...props} />
    </>
  )
}

function useErrorOf({ problems }: Pick<FieldsProps, 'problems'>) {
  const { t } = useTranslation('secrets')
  return (field: SecretField) => {
    const problem = problems[field]
    return problem === undefined ? undefined : t(`problem.${problem}`)
  }
}

function OwnerField({ form, onChange }: FieldsProps) {
  const { t } = useTranslation('secrets')
  const workspaces = useWorkspaces()
  const me = useMe()
  const options = [
    { value: 'person', label: t('dialog.ownerPerson') },
    ...workspaces.map(({ id, name }) => ({ value: id, label: t('dialog.ownerWorkspace', { name }) })),
    ...(me.data?.isOwner === true ? [{ value: 'installation', label: t('dialog.ownerInstallation') }] : []),
  ]
  if (options.length === 1) return null
  return (
    <Field label={t('dialog.owner')} help={t('dialog.ownerHelp')}>
      {(control) => (
        <Select
          id={control.id}
          value={form.owner}
          options={options}
          onChange={(owner) => onChange({ owner, workspaceIds: [] })}
        />
      )}
    </Field>
  )
}

const ruleFields = ['methods', 'pathPrefix', 'headerName', 'headerPrefix', 'placeholderPrefix'] as const

/** Open if a rule is set, or has a problem. */
function Rules(props: FieldsProps) {
  const { t } = useTranslation('secrets')
  const { form, onChange, problems } = props
  const errorOf = useErrorOf(props)
  const isUsed = Object.values(form.rules).some((value) => value !== '')
  const hasProblem = problems.methods !== undefined || problems.pathPrefix !== undefined
  return (
    <details className="more" open={isUsed || hasProblem || undefined}>
      <summary>{t('dialog.more')}</summary>
      {ruleFields.map((field) => (
        <TextField
          key={field}
          label={t(`dialog.${field}`)}
          help={t(`dialog.${field}Help`)}
          error={field === 'methods' || field === 'pathPrefix' ? errorOf(field) : undefined}
          value={form.rules[field]}
          onChange={(value) => onChange({ rules: { ...form.rules, [field]: value } })}
        />
      ))}
    </details>
  )
}

/** All threads of these workspaces can use it. Single threads get it in their sandbox pane. */
function WorkspacesField({ form, onChange }: FieldsProps) {
  const { t } = useTranslation('secrets')
  const all = useWorkspaces()
  const isWorkspaces = form.owner !== 'person' && form.owner !== 'installation'
  const workspaces = isWorkspaces ? all.filter(({ id }) => id === form.owner) : all
  if (workspaces.length === 0) return null
  const ids = workspaces.map(({ id }) => id)
  return (
    <Checks legend={t('dialog.workspaces')}>
      {workspaces.map(({ id, name }) => (
        <Check
          key={id}
          label={name}
          isOn={form.workspaceIds.includes(id)}
          onChange={(isOn) =>
            onChange({ workspaceIds: ids.filter((one) => (one === id ? isOn : form.workspaceIds.includes(one))) })
          }
        />
      ))}
    </Checks>
  )
}

function Checks(props: { legend: string; error?: string | undefined; children: ReactNode }) {
  return (
    <fieldset className="findings">
      <legend>{props.legend}</legend>
      <ul>{props.children}</ul>
      {props.error !== undefined && (
        <p className="help help--error" role="alert">
          {props.error}
        </p>
      )}
    </fieldset>
  )
}

function Check(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={props.isOn} onChange={(event) => props.onChange(event.target.checked)} />
        <span className="grow">{props.label}</span>
      </label>
    </li>
  )
}

function TextField(props: {
  label: string
  help: string
  error: string | undefined
  value: string
  onChange: (value: string) => void
}) {
  return (
    <Field label={props.label} help={props.help} error={props.error}>
      {(control) => (
        <Input
          {...control}
          value={props.value}
          maxLength={1000}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
